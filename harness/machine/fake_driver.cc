// A CUDA driver of two devices, for tests. FAKE_DRIVER=empty has none.
#include <cstdlib>
#include <cstring>

#define DRIVER extern "C" __attribute__((visibility("default"))) int

DRIVER cuInit(unsigned flags) {
  const char* kind = std::getenv("FAKE_DRIVER");
  const bool empty = kind != nullptr && std::strcmp(kind, "empty") == 0;
  return flags != 0 ? 1 : empty ? 100 : 0;
}
DRIVER cuDriverGetVersion(int* version) { return *version = 12080, 0; }
DRIVER cuDeviceGetCount(int* count) { return *count = 2, 0; }
DRIVER cuDeviceGet(int* device, int ordinal) {
  return *device = 10 + ordinal, 0;
}
DRIVER cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, device == 10 ? "Alpha" : "Beta",
               static_cast<std::size_t>(size));
  return 0;
}
DRIVER cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (attribute != 75 && attribute != 76) return 1;
  *value = attribute == 75 ? (device == 10 ? 9 : 12) : (device == 10 ? 0 : 1);
  return 0;
}
