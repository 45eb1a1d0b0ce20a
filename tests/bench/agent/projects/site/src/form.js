import { isEmail } from "./checks.js";
import { MAX_NAME } from "./limits.js";

export function problems(form) {
  const found = [];
  if (!form.name || form.name.length > MAX_NAME) found.push("name");
  if (!isEmail(form.email)) found.push("email");
  return found;
}
