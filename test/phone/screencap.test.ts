import { crc32, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { findGlyph } from '@apprentice/phone/picture/bitmap/glyphs.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { appWith } from './document-app.ts'
import { find, launch, manualPhone, run, tap, type } from './phone-shell.ts'

interface Picture {
  readonly width: number
  readonly height: number
  readonly pixel: (x: number, y: number) => string
}

/** Decodes a PNG and checks its signature, chunk CRCs and filters. */
function decode(png: Buffer): Picture {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4) })
    at += 12 + length
  }
  expect(chunks.map((chunk) => chunk.type)).toEqual(['IHDR', 'IDAT', 'IEND'])
  const header = chunks[0]?.data ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  expect([...header.subarray(8)]).toEqual([8, 6, 0, 0, 0])
  const rows = inflateSync(chunks[1]?.data ?? Buffer.alloc(0))
  const stride = width * 4
  expect(rows.length).toBe((stride + 1) * height)
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    expect(rows[y * (stride + 1)]).toBe(0)
    rows.copy(pixels, y * stride, y * (stride + 1) + 1, (y + 1) * (stride + 1))
  }
  const pixel = (x: number, y: number): string => pixels.toString('hex', (y * width + x) * 4, (y * width + x) * 4 + 4)
  return { width, height, pixel }
}

test('a screenshot is a valid RGBA PNG of the screen size', async () => {
  const { phone } = manualPhone()
  await launch(phone, 'org.apprentice.climate')
  const ran = await run(phone, 'screencap -p')
  const picture = decode(ran.bytes)
  expect([picture.width, picture.height]).toEqual([1080, 2400])
  expect(picture.pixel(700, 100)).toBe('00796bff')
  expect(picture.pixel(5, 5)).toBe('00796bff')
  expect(ran.stderr).toBe('')
})

test('an unchanged screen gives identical bytes and a changed screen different bytes', async () => {
  const { phone } = manualPhone()
  const other = manualPhone().phone
  const before = (await run(phone, 'screencap -p')).bytes
  expect((await run(phone, 'screencap -p')).bytes.equals(before)).toBe(true)
  expect((await run(other, 'screencap -p')).bytes.equals(before)).toBe(true)
  await launch(phone, 'org.apprentice.notes')
  expect((await run(phone, 'screencap -p')).bytes.equals(before)).toBe(false)
})

test('switches, dialogs, typed text, toasts and the keyboard are drawn', async () => {
  const { phone, clock } = manualPhone()
  await launch(phone, 'org.apprentice.climate')
  const shot = async () => decode((await run(phone, 'screencap -p')).bytes)
  await tap(phone, 'Lobby')
  const { box } = await find(phone, 'power')
  const track: [number, number] = [box.right - 90, Math.floor((box.top + box.bottom) / 2)]
  expect((await shot()).pixel(...track)).toBe('00796bff')
  await tap(phone, 'power')
  expect((await shot()).pixel(...track)).not.toBe('00796bff')
  await tap(phone, 'save')
  expect((await shot()).pixel(5, 1000)).toBe('7d7d7dff')
  await tap(phone, 'android:id/button1')
  expect((await shot()).pixel(540, 2046)).toBe('323236ff')
  clock.advance(2000)
  expect((await shot()).pixel(540, 2046)).not.toBe('323236ff')
  await launch(phone, 'org.apprentice.notes')
  await tap(phone, 'New note')
  await type(phone, 'title', 'Ink')
  const written = await shot()
  expect(written.pixel(2, 1600)).toBe('e6e8efff')
  const field = (await find(phone, 'title')).box
  const row = Array.from({ length: 90 }, (_unused, x) => written.pixel(field.left + 36 + x, field.top + 66))
  expect(new Set(row)).toContain('212121ff')
})

/** Reads a pixel of the screen as `rrggbb`. */
const readPixel = async (phone: Phone, x: number, y: number): Promise<string> => {
  const { bytes } = await run(phone, 'screencap')
  const at = 16 + (y * 1080 + x) * 4
  return bytes.toString('hex', at, at + 3)
}

test('choices, scrims, snackbars and recorded trees are drawn', async () => {
  const tree = `<node class="android.view.View" bounds="[0,0][1080,2400]">
    <node class="android.view.View" content-desc="#####" bounds="[0,300][600,400]" /></node>`
  const { phone } = await appWith({
    saved: { size: 's' },
    screens: {
      main: {
        content: [
          {
            type: 'choice',
            bind: 'saved.size',
            options: [
              { value: 's', text: 'S' },
              { value: 'l', text: 'L' },
            ],
          },
          { type: 'button', text: 'Bar', on_tap: [{ do: 'snackbar', text: 'Saved' }] },
          { type: 'button', text: 'Sheet', on_tap: [{ do: 'dialog', dialog: 'sheet' }] },
          { type: 'button', text: 'Tree', on_tap: [{ do: 'open', screen: 'tree' }] },
        ],
      },
      tree: { tree },
    },
    dialogs: { sheet: { place: 'bottom', in_screen: true, content: [{ type: 'text', text: 'Share' }] } },
  })
  const { box } = await find(phone, 'L')
  const [chosen, other] = [
    await readPixel(phone, 20, box.top + 20),
    await readPixel(phone, box.left + 20, box.top + 20),
  ]
  expect(chosen).not.toBe(other)
  await tap(phone, 'L')
  expect(await readPixel(phone, box.left + 20, box.top + 20)).toBe(chosen)
  const snackbar = [30, 2244] as const
  expect(await readPixel(phone, ...snackbar)).toBe('fafafa')
  await tap(phone, 'Bar')
  expect(await readPixel(phone, ...snackbar)).toBe('323232')
  await tap(phone, 'Sheet')
  expect(await readPixel(phone, 20, 1200)).toBe('7d7d7d')
  expect(await readPixel(phone, ...snackbar)).toBe('ffffff')
  await run(phone, 'input keyevent 4')
  await tap(phone, 'Tree')
  const { bytes } = await run(phone, 'screencap')
  const line = bytes.subarray(16 + 352 * 1080 * 4, 16 + 352 * 1080 * 4 + 600 * 4).toString('hex')
  expect(line).toContain('212121ff')
})

test('the screenshot of a switched-off screen is black', async () => {
  const { phone } = manualPhone()
  phone.setScreen('off')
  const { pixel } = decode((await run(phone, 'screencap -p')).bytes)
  expect([pixel(0, 0), pixel(540, 1200)]).toEqual(['000000ff', '000000ff'])
})

test('screencap writes to a file, and raw pixels without -p', async () => {
  const { phone } = manualPhone()
  expect((await run(phone, 'screencap -p /sdcard/s.png')).bytes.length).toBe(0)
  expect(decode(phone.files.read('/sdcard/s.png') ?? Buffer.alloc(0)).width).toBe(1080)
  expect((await run(phone, 'screencap /system/s.png')).code).toBe(1)
  const raw = (await run(phone, 'screencap')).bytes
  expect(raw.length).toBe(16 + 1080 * 2400 * 4)
  expect([0, 4, 8].map((at) => raw.readUInt32LE(at))).toEqual([1080, 2400, 1])
})

const missingGlyph = findGlyph('漢')
const hasGlyph = (char: string): boolean => findGlyph(char) !== missingGlyph

test('the font has printable ASCII and German letters, and a box for other characters', () => {
  for (let code = 0x20; code < 0x7f; code += 1) expect(hasGlyph(String.fromCharCode(code))).toBe(true)
  for (const char of 'äöüÄÖÜß°€é') expect(hasGlyph(char)).toBe(true)
  for (const char of ['😀', 'ж', '\u2603']) expect(hasGlyph(char)).toBe(false)
})
