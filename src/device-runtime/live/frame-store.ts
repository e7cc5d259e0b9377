import type { Canvas } from '@napi-rs/canvas'
import type { ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import { type CanvasLibrary, loadCanvasLibrary } from '@apprentice/phone/picture/material/canvas-library.ts'
import type { Screenshot } from '../../devices/driver/screenshot.ts'
import { type Box, findChangedBox } from './changed-box.ts'

/** The part of a frame that differs from the frame before it. */
export type FrameChange = Omit<NonNullable<ScreenFrame['change']>, 'url'>

interface StoredFrame {
  readonly shot: Screenshot
  readonly holders: readonly string[]
  whole?: Promise<Buffer>
  part?: { readonly since: string; readonly jpeg: Promise<Buffer> }
}

interface Pixels {
  readonly frameId: string
  readonly width: number
  readonly height: number
  readonly values: Uint32Array
  /** The values may be a view of its memory. */
  readonly canvas: Canvas
}

const MAX_FRAMES = 8
const JPEG_QUALITY = 90
/** A larger part is sent as a whole picture: it saves too little. */
const MAX_CHANGED_SHARE = 0.7

/**
 * The latest pictures of one screen, as PNG and as JPEG with a part of the bytes. Of the newest one the pixels are kept
 * too, so that the next one can be sent as the part that differs. Without the native library there is only PNG.
 */
export class FrameStore {
  readonly #frames = new Map<string, StoredFrame>()
  readonly #library: CanvasLibrary | undefined
  #newest: Pixels | undefined

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
    const { width, height } = frame.shot
    const canvas = await drawPng(library, frame.shot)
    const { buffer, byteOffset, length } = canvas.data()
    const values = new Uint32Array(buffer, byteOffset, length / 4)
    this.#newest = { frameId, width, height, values, canvas }
    const box =
      before?.width === width && before.height === height ? findChangedBox(before.values, values, before) : undefined
    if (before === undefined || box === undefined || isLarge(box, frame.shot)) {
      frame.whole = canvas.encode('jpeg', JPEG_QUALITY)
      return undefined
    }
    const part = library.createCanvas(box.width, box.height)
    part.getContext('2d', { alpha: false }).drawImage(canvas, -box.left, -box.top)
    frame.part = { since: before.frameId, jpeg: part.encode('jpeg', JPEG_QUALITY) }
    return { since: before.frameId, ...box }
  }
}

const isLarge = (box: Box, { width, height }: Screenshot): boolean =>
  box.width * box.height > MAX_CHANGED_SHARE * width * height

async function drawPng({ createCanvas, loadImage }: CanvasLibrary, { png, width, height }: Screenshot) {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(png), 0, 0)
  return canvas
}

async function encodeWhole(library: CanvasLibrary, shot: Screenshot): Promise<Buffer> {
  return (await drawPng(library, shot)).encode('jpeg', JPEG_QUALITY)
}
