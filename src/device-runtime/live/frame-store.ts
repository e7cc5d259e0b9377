import type { Canvas } from '@napi-rs/canvas'
import type { ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import { type CanvasLibrary, loadCanvasLibrary } from '@apprentice/phone/picture/material/canvas-library.ts'
import type { Screenshot } from '../../devices/driver/screenshot.ts'
import { type Box, findChangedBox, type PictureRows, readUnfilteredRows } from './picture-rows.ts'

/** The part of a frame that differs from the frame before it. */
export type FrameChange = Omit<NonNullable<ScreenFrame['change']>, 'url'>

interface StoredFrame {
  readonly shot: Screenshot
  readonly holders: readonly string[]
  whole?: Promise<Buffer>
  part?: { readonly since: string; readonly jpeg: Buffer }
}

const MAX_FRAMES = 8
const JPEG_QUALITY = 90
/** A larger part is sent as a whole picture: it saves too little. */
const MAX_CHANGED_SHARE = 0.7
/** A smaller part is encoded in a few milliseconds, which is less than it may wait for another thread. */
const MAX_PIXELS_AT_ONCE = 500_000
/** A larger part is fetched by those who need it. */
const MAX_EVENT_BYTES = 64 * 1024

/**
 * The latest pictures of one screen, as PNG and as JPEG with a part of the bytes. Of the newest one the pixels are kept
 * too, so that the next one can be sent as the part that differs. Without the native library there is only PNG.
 */
export class FrameStore {
  readonly #frames = new Map<string, StoredFrame>()
  readonly #library: CanvasLibrary | undefined
  #newest: { readonly frameId: string; readonly rows: PictureRows } | undefined

  constructor(loaded = loadCanvasLibrary()) {
    this.#library = 'library' in loaded ? loaded.library : undefined
  }

  get hasJpeg(): boolean {
    return this.#library !== undefined
  }

  /** Stores a picture. Returns what changed since the one before, if that is known and small. */
  async add(frameId: string, shot: Screenshot, holders: readonly string[]): Promise<FrameChange | undefined> {
    const frame: StoredFrame = { shot, holders }
    this.#frames.delete(frameId)
    this.#frames.set(frameId, frame)
    for (const old of this.#frames.keys()) {
      if (this.#frames.size <= MAX_FRAMES) break
      this.#frames.delete(old)
    }
    return this.#library === undefined ? undefined : this.#compare(this.#library, frameId, frame)
  }

  /** Forgets the pixels of the newest picture, because the next viewer must not learn what changed since. */
  forgetNewest(): void {
    this.#newest = undefined
  }

  /** Undefined when the frame is no longer stored, or was taken while the device was kept for another user. */
  readPng(frameId: string, userId: string): Buffer | undefined {
    return this.#find(frameId, userId)?.shot.png
  }

  /** The whole picture as JPEG, or its part that differs from the frame `since`. Undefined when it is not stored. */
  async readJpeg(frameId: string, since: string | undefined, userId: string): Promise<Buffer | undefined> {
    const frame = this.#find(frameId, userId)
    if (frame === undefined || this.#library === undefined) return undefined
    if (since !== undefined) return frame.part?.since === since ? frame.part.jpeg : undefined
    frame.whole ??= encodeWhole(this.#library, frame.shot)
    return frame.whole
  }

  #find(frameId: string, userId: string): StoredFrame | undefined {
    const frame = this.#frames.get(frameId)
    return frame?.holders.every((holder) => holder === userId) === true ? frame : undefined
  }

  async #compare(library: CanvasLibrary, frameId: string, frame: StoredFrame): Promise<FrameChange | undefined> {
    const before = this.#newest
    const rows = await readRows(library, frame.shot)
    this.#newest = { frameId, rows }
    const isSameSize = before?.rows.width === rows.width && before.rows.height === rows.height
    const box = isSameSize ? findChangedBox(before.rows, rows) : undefined
    if (before === undefined || box === undefined || isLarge(box, frame.shot)) {
      frame.whole = drawBox(library, rows, { left: 0, top: 0, ...frame.shot }).encode('jpeg', JPEG_QUALITY)
      return undefined
    }
    const canvas = drawBox(library, rows, box)
    const isSmall = box.width * box.height <= MAX_PIXELS_AT_ONCE
    const jpeg = isSmall ? canvas.encodeSync('jpeg', JPEG_QUALITY) : await canvas.encode('jpeg', JPEG_QUALITY)
    frame.part = { since: before.frameId, jpeg }
    const change = { since: before.frameId, ...box }
    return jpeg.length > MAX_EVENT_BYTES ? change : { ...change, jpeg: jpeg.toString('base64') }
  }
}

const isLarge = (box: Box, { width, height }: Screenshot): boolean =>
  box.width * box.height > MAX_CHANGED_SHARE * width * height

async function readRows(library: CanvasLibrary, shot: Screenshot): Promise<PictureRows> {
  const rows = readUnfilteredRows(shot)
  if (rows !== undefined) return rows
  const { width, height } = shot
  return { width, height, data: (await drawPng(library, shot)).data(), start: 0, stride: width * 4 }
}

function drawBox({ createCanvas }: CanvasLibrary, rows: PictureRows, { left, top, width, height }: Box): Canvas {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  const image = context.createImageData(width, height)
  for (let row = 0; row < height; row += 1) {
    const from = rows.start + (top + row) * rows.stride + left * 4
    image.data.set(rows.data.subarray(from, from + width * 4), row * width * 4)
  }
  context.putImageData(image, 0, 0)
  return canvas
}

async function drawPng({ createCanvas, loadImage }: CanvasLibrary, { png, width, height }: Screenshot) {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(png), 0, 0)
  return canvas
}

async function encodeWhole(library: CanvasLibrary, shot: Screenshot): Promise<Buffer> {
  return (await drawPng(library, shot)).encode('jpeg', JPEG_QUALITY)
}
