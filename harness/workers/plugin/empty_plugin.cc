// Exports nothing: for plugin_worker_test.
