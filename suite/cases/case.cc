#include "suite/cases/case.h"

namespace assay::cases {

const char* profile_name(Profile p) {
  switch (p) {
    case Profile::quick:
      return "quick";
    case Profile::standard:
      return "standard";
    case Profile::full:
      break;
  }
  return "full";
}

std::optional<Profile> parse_profile(const std::string& name) {
  for (const Profile p : {Profile::quick, Profile::standard, Profile::full}) {
    if (name == profile_name(p)) return p;
  }
  return std::nullopt;
}

}  // namespace assay::cases
