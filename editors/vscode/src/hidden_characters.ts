// Characters that nobody sees: the table of server/base/hidden.rs, generated. Do not edit;
// `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

export const HIDDEN = new RegExp(
  '[' +
    '\\u{0}-\\u{1f}' +
    '\\u{7f}-\\u{9f}' +
    '\\u{ad}-\\u{ad}' +
    '\\u{34f}-\\u{34f}' +
    '\\u{600}-\\u{605}' +
    '\\u{61c}-\\u{61c}' +
    '\\u{6dd}-\\u{6dd}' +
    '\\u{70f}-\\u{70f}' +
    '\\u{890}-\\u{891}' +
    '\\u{8e2}-\\u{8e2}' +
    '\\u{115f}-\\u{1160}' +
    '\\u{17b4}-\\u{17b5}' +
    '\\u{180b}-\\u{180f}' +
    '\\u{2000}-\\u{200f}' +
    '\\u{2028}-\\u{202f}' +
    '\\u{205f}-\\u{206f}' +
    '\\u{2800}-\\u{2800}' +
    '\\u{3164}-\\u{3164}' +
    '\\u{e000}-\\u{f8ff}' +
    '\\u{fdd0}-\\u{fdef}' +
    '\\u{fe00}-\\u{fe0f}' +
    '\\u{feff}-\\u{feff}' +
    '\\u{ffa0}-\\u{ffa0}' +
    '\\u{fff0}-\\u{fffc}' +
    '\\u{fffe}-\\u{ffff}' +
    '\\u{110bd}-\\u{110bd}' +
    '\\u{110cd}-\\u{110cd}' +
    '\\u{13430}-\\u{13455}' +
    '\\u{16fe4}-\\u{16fe4}' +
    '\\u{1bca0}-\\u{1bca3}' +
    '\\u{1d159}-\\u{1d159}' +
    '\\u{1d173}-\\u{1d17a}' +
    '\\u{1fffe}-\\u{1ffff}' +
    '\\u{2fffe}-\\u{2ffff}' +
    '\\u{3fffe}-\\u{3ffff}' +
    '\\u{4fffe}-\\u{4ffff}' +
    '\\u{5fffe}-\\u{5ffff}' +
    '\\u{6fffe}-\\u{6ffff}' +
    '\\u{7fffe}-\\u{7ffff}' +
    '\\u{8fffe}-\\u{8ffff}' +
    '\\u{9fffe}-\\u{9ffff}' +
    '\\u{afffe}-\\u{affff}' +
    '\\u{bfffe}-\\u{bffff}' +
    '\\u{cfffe}-\\u{cffff}' +
    '\\u{dfffe}-\\u{10ffff}' +
    ']',
  'gu',
);
