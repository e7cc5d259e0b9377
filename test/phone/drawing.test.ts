import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { checkPictures } from '../../src/commands/doctor/doctor-checks.ts'
import { loadCanvasLibrary, tryLoading } from '@apprentice/phone/picture/material/canvas-library.ts'
import { Fonts } from '@apprentice/phone/picture/material/fonts.ts'
import { findIcon, listIconPaths } from '@apprentice/phone/picture/material/icons.ts'
import { breakLines, shortenLine } from '@apprentice/phone/picture/material/text-lines.ts'
import { appWith } from './document-app.ts'
import { find, manualPhone, run, tap } from './phone-shell.ts'

const readPixel = (raw: Buffer, x: number, y: number): string => {
  const at = 16 + (y * 1080 + x) * 4
  return raw.toString('hex', at, at + 3)
}

/** A process of its own, because other tests of this worker may have loaded the library. */
const LOADING = `
  import { createRequire } from 'node:module'
  import { manualPhone, run } from ${JSON.stringify(join(import.meta.dirname, 'phone-shell.ts'))}
  const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@napi-rs/canvas'))
  const { phone } = manualPhone()
  await run(phone, 'uiautomator dump /dev/tty')
  const before = isLoaded()
  await run(phone, 'screencap')
  console.log(JSON.stringify([before, isLoaded()]))
`

test('the native library is loaded by the first picture, not by the start of a phone', async () => {
  const options = ['--import', 'tsx', '--input-type=module', '--eval', LOADING]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  expect(JSON.parse(stdout)).toEqual([false, true])
})

test('a phone without the native library draws the same screen with its bitmap font', async () => {
  const { phone } = manualPhone({ drawing: 'bitmap' })
  const { bytes } = await run(phone, 'screencap')
  expect(bytes.length).toBe(16 + 1080 * 2400 * 4)
  expect([readPixel(bytes, 5, 5), readPixel(bytes, 540, 1800)]).toEqual(['263238', 'dfe6ec'])
})

test('a library that cannot be loaded is a problem that the doctor reports, and no failure', () => {
  const missing = tryLoading(() => {
    throw new Error('Cannot find native binding\nmore')
  })
  expect(missing).toEqual({ problem: 'Cannot find native binding' })
  expect(checkPictures(missing)).toMatchObject({
    status: 'warn',
    summary: 'the simulated phone is drawn with a plain bitmap font: Cannot find native binding',
  })
  expect(checkPictures().status).toBe('pass')
})

test('a touched view shows the touch for a moment', async () => {
  const row = { type: 'row', id: 'row', padding: 60, on_tap: [], children: [{ type: 'text', text: 'Row' }] }
  const { phone, clock } = await appWith({ screens: { main: { content: [row] } } })
  const { box } = await find(phone, 'row')
  const corner = [box.left + 500, box.top + 20] as const
  expect(readPixel((await run(phone, 'screencap')).bytes, ...corner)).toBe('fafafa')
  await tap(phone, 'row')
  expect(readPixel((await run(phone, 'screencap')).bytes, ...corner)).not.toBe('fafafa')
  clock.advance(300)
  expect(readPixel((await run(phone, 'screencap')).bytes, ...corner)).toBe('fafafa')
})

function createFonts(): Fonts {
  const loaded = loadCanvasLibrary()
  if ('problem' in loaded) throw new Error(loaded.problem)
  return new Fonts(loaded.library)
}

test('text is measured in the bundled font and broken where a line ends', () => {
  const fonts = createFonts()
  expect(fonts.measure('iiii', 42, 400)).toBeLessThan(fonts.measure('WWWW', 42, 400) / 2)
  const style = { size: 42, weight: 400 } as const
  const lines = breakLines(fonts, 'Call Ada on the tenth of December', style, 300)
  expect(lines.map(({ text }) => text)).toEqual(['Call Ada on the', 'tenth of', 'December'])
  expect(breakLines(fonts, 'Donaudampfschiff', style, 200).length).toBeGreaterThan(1)
  const short = shortenLine(fonts, { text: 'Donaudampfschiff', width: 400 }, style, 200)
  expect(short.text).toMatch(/^Donau.*…$/)
  expect(short.width).toBeLessThanOrEqual(200)
})

test('fonts of the machine are asked only for characters that the bundled font lacks', () => {
  const fonts = createFonts()
  expect(fonts.describe('Überweisung 12 €', 42, 400)).not.toContain('DejaVu')
  const [own, all] = [fonts.describe('Überweisung', 42, 400), fonts.describe('漢字', 42, 400)]
  expect(all.startsWith(own)).toBe(true)
})

test('icons are found by the words of app documents', () => {
  expect([findIcon('<'), findIcon('Navigate up'), findIcon('Delete note'), findIcon('Wi-Fi')]).toEqual([
    'back',
    'back',
    'delete',
    'wifi',
  ])
  expect(findIcon('Ada Lovelace')).toBeUndefined()
  expect(listIconPaths('clock').every((path) => path.startsWith('M'))).toBe(true)
})
