import { expect, test } from 'vitest'
import { loadCanvasLibrary } from '@apprentice/phone/picture/material/canvas-library.ts'
import { manualPhone, run } from '../phone/phone-shell.ts'
import { FrameStore } from '../../src/device-runtime/live/frame-store.ts'
import { findChangedBox, readUnfilteredRows } from '../../src/device-runtime/live/picture-rows.ts'

const loaded = loadCanvasLibrary()
if ('problem' in loaded) throw new Error(loaded.problem)
const { createCanvas, loadImage } = loaded.library
const SIZE = { width: 200, height: 100 }
const OTHERS: readonly string[] = []
const id = (digit: number) => String(digit).repeat(32)

/** A picture with a red box on a white ground. */
function takeShot({ left, top, width, height }: Record<'left' | 'top' | 'width' | 'height', number>) {
  const canvas = createCanvas(SIZE.width, SIZE.height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, SIZE.width, SIZE.height)
  context.fillStyle = '#c02000'
  context.fillRect(left, top, width, height)
  return { png: canvas.toBuffer('image/png'), ...SIZE }
}

/** A picture whose first rows are noise, which compresses badly. */
function takeNoise(side: number, rows: number) {
  const canvas = createCanvas(side, side)
  const context = canvas.getContext('2d', { alpha: false })
  const image = context.createImageData(side, side)
  for (let at = 0; at < side * side * 4; at += 1) {
    image.data[at] = at % 4 === 3 || at >= rows * side * 4 ? 255 : Math.imul(at + 1, 2_654_435_761) >>> 24
  }
  context.putImageData(image, 0, 0)
  return { png: canvas.toBuffer('image/png'), width: side, height: side }
}

const EMPTY = { left: 0, top: 0, width: 0, height: 0 }
const SMALL = { left: 30, top: 20, width: 48, height: 32 }

test.each([
  ['nothing', [], undefined],
  ['one pixel', [[7, 3]], { left: 7, top: 3, width: 1, height: 1 }],
  [
    'opposite corners',
    [
      [0, 0],
      [9, 4],
    ],
    { left: 0, top: 0, width: 10, height: 5 },
  ],
  [
    'a later row further to the left',
    [
      [6, 1],
      [2, 3],
      [8, 2],
    ],
    { left: 2, top: 1, width: 7, height: 3 },
  ],
] as const)('the box that contains what changed: %s', (_what, pixels, expected) => {
  const size = { width: 10, height: 5 }
  // The rows of one picture follow each other, those of the other one begin with one more byte.
  const before = { ...size, data: Buffer.alloc(200), start: 0, stride: 40 }
  const after = { ...size, data: Buffer.alloc(205), start: 1, stride: 41 }
  for (const [x, y] of pixels) after.data[1 + y * 41 + x * 4] = 1
  for (let row = 0; row < 5; row += 1) after.data[row * 41] = 99
  expect(findChangedBox(before, after)).toEqual(expected)
})

test('a small change is a JPEG of the part that differs, which completes the frame before', async () => {
  const store = new FrameStore()
  const [before, after] = [takeShot(EMPTY), takeShot(SMALL)]
  expect(await store.add(id(1), before, OTHERS)).toBeUndefined()
  const change = await store.add(id(2), after, OTHERS)
  const jpeg = (await store.readJpeg(id(2), id(1), 'anyone')) ?? expect.fail('no part')
  expect(change).toEqual({ since: id(1), ...SMALL, jpeg: jpeg.toString('base64') })
  const part = await loadImage(jpeg)
  expect([part.width, part.height]).toEqual([SMALL.width, SMALL.height])

  const canvas = createCanvas(SIZE.width, SIZE.height)
  const context = canvas.getContext('2d')
  context.drawImage(await loadImage(before.png), 0, 0)
  context.drawImage(part, SMALL.left, SMALL.top)
  const drawn = context.getImageData(0, 0, SIZE.width, SIZE.height).data
  context.drawImage(await loadImage(after.png), 0, 0)
  const expected = context.getImageData(0, 0, SIZE.width, SIZE.height).data
  expect(Math.max(...drawn.map((value, at) => Math.abs(value - (expected[at] ?? 0))))).toBeLessThan(16)
})

test('a part with many bytes is announced without them', async () => {
  const store = new FrameStore()
  await store.add(id(1), takeNoise(400, 0), OTHERS)
  const change = await store.add(id(2), takeNoise(400, 250), OTHERS)
  expect(change).toMatchObject({ since: id(1), height: 250 })
  expect(change?.jpeg).toBeUndefined()
  expect((await store.readJpeg(id(2), id(1), 'anyone'))?.length).toBeGreaterThan(64 * 1024)
})

test('the rows of a PNG are read when they have no filter, whatever their pixels are', async () => {
  const { phone } = manualPhone()
  const { bytes } = await run(phone, 'screencap -p')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const rows = readUnfilteredRows({ png: bytes, width, height }) ?? expect.fail('the picture has filters')
  const canvas = createCanvas(width, height)
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(bytes), 0, 0)
  const expected = { width, height, data: canvas.data(), start: 0, stride: width * 4 }
  expect(findChangedBox(expected, rows)).toBeUndefined()
  expect(readUnfilteredRows(takeShot(SMALL))).toBeUndefined()
  expect(readUnfilteredRows({ png: bytes.subarray(0, 2000), width, height })).toBeUndefined()
  expect(readUnfilteredRows({ png: bytes, width: width + 1, height })).toBeUndefined()
})

test('a large change, a change of the size and the first frame are whole pictures', async () => {
  const store = new FrameStore()
  await store.add(id(1), takeShot(EMPTY), OTHERS)
  expect(await store.add(id(2), takeShot({ left: 0, top: 0, ...SIZE }), OTHERS)).toBeUndefined()
  const turned = createCanvas(SIZE.height, SIZE.width).toBuffer('image/png')
  const shot = { png: turned, width: SIZE.height, height: SIZE.width }
  expect(await store.add(id(3), shot, OTHERS)).toBeUndefined()
  for (const digit of [1, 2, 3]) {
    const jpeg = await store.readJpeg(id(digit), undefined, 'anyone')
    expect(jpeg?.subarray(0, 2).toString('hex'), String(digit)).toBe('ffd8')
  }
  expect(await store.readJpeg(id(3), id(2), 'anyone')).toBeUndefined()
})

test('a frame of a holder is for the holder only, and no change refers to a forgotten frame', async () => {
  const store = new FrameStore()
  await store.add(id(1), takeShot(EMPTY), ['holder'])
  expect([store.readPng(id(1), 'stranger'), await store.readJpeg(id(1), undefined, 'stranger')]).toEqual([
    undefined,
    undefined,
  ])
  expect(store.readPng(id(1), 'holder')).toBeDefined()
  store.forgetNewest()
  expect(await store.add(id(2), takeShot(SMALL), OTHERS)).toBeUndefined()
})

test('without the native library frames are PNG only', async () => {
  const store = new FrameStore({ problem: 'no package for this platform' })
  const shot = takeShot(SMALL)
  expect([store.hasJpeg, await store.add(id(1), shot, OTHERS)]).toEqual([false, undefined])
  expect(store.readPng(id(1), 'anyone')).toBe(shot.png)
  expect(await store.readJpeg(id(1), undefined, 'anyone')).toBeUndefined()
})

test('only the latest frames are stored', async () => {
  const store = new FrameStore()
  for (let digit = 0; digit < 9; digit += 1) await store.add(id(digit), takeShot(EMPTY), OTHERS)
  expect(store.readPng(id(0), 'anyone')).toBeUndefined()
  expect(store.readPng(id(1), 'anyone')).toBeDefined()
})
