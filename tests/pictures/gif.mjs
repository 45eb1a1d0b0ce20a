// Moving pictures: gif(PAGE, FRAMES, FILE) of screens that each stand for a while.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export const project = path.resolve(import.meta.dirname, '../..');
const packages = path.join(project, '.e2e', 'gif');
const COLOURS = 128;

/** The package that writes them, installed where it is missing. */
function encoder() {
  const needed = path.join(packages, 'node_modules', 'gifenc');
  if (!fs.existsSync(needed)) execFileSync('npm', ['install', '--prefix', packages, '--no-audit', '--no-fund', 'gifenc@1.0.3'], { stdio: 'inherit' });
  return createRequire(path.join(packages, 'package.json'))('gifenc');
}

/** The points of a picture, four bytes each, as a page of Chromium draws it. */
async function points(page, { bytes, type }) {
  const url = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const { width, height, text } = await page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = '';
    for (let at = 0; at < data.length; at += 30_000) text += String.fromCharCode(...data.subarray(at, at + 30_000));
    return { width: image.width, height: image.height, text: btoa(text) };
  }, url);
  return { width, height, data: new Uint8Array(Buffer.from(text, 'base64')) };
}

/** Writes frames `{ bytes, type, ms }` as a GIF without end; says how many bytes it has. */
export async function gif(page, frames, file) {
  const { GIFEncoder, quantize, applyPalette } = encoder();
  const drawn = [];
  for (const frame of frames) drawn.push({ ...(await points(page, frame)), ms: frame.ms });
  const { width, height } = drawn[0];
  const all = new Uint8Array(drawn.length * drawn[0].data.length);
  for (const [index, { data }] of drawn.entries()) all.set(data, index * data.length);
  // The last colour stands for what is as it was.
  const palette = quantize(all, COLOURS - 1);
  const same = palette.length;
  const made = GIFEncoder();
  let before;
  for (const { data, ms } of drawn) {
    const now = applyPalette(data, palette);
    const shown = before ? now.map((colour, at) => (colour === before[at] ? same : colour)) : now;
    made.writeFrame(shown, width, height, { palette: [...palette, [0, 0, 0]], delay: ms, transparent: before !== undefined, transparentIndex: same, repeat: 0, dispose: 1 });
    before = now;
  }
  made.finish();
  fs.writeFileSync(file, made.bytes());
  return made.bytes().length;
}
