import type { Device } from '../model/device.ts'
import { draw, toRgba } from './bitmap/canvas.ts'
import { paintScreen } from './bitmap/paint.ts'
import { loadCanvasLibrary } from './material/canvas-library.ts'
import { describeScreen } from './material/draw-screen.ts'

/** The screen at one moment. */
export interface Picture {
  /** Equal pictures have equal keys. */
  readonly key: string
  readonly width: number
  readonly height: number
  /** Four bytes per pixel: red, green, blue and 255. */
  readPixels(): Buffer
}

/** Takes a picture of the screen. Without the native library, or if the phone is made so, text is a bitmap font. */
export function takePicture(device: Device): Picture {
  const { width, height } = device.screen
  const loaded = device.drawing === 'bitmap' ? undefined : loadCanvasLibrary()
  if (loaded !== undefined && 'library' in loaded) return { ...describeScreen(device, loaded.library), width, height }
  const strokes = paintScreen(device)
  return { key: JSON.stringify(strokes), width, height, readPixels: () => toRgba(draw(width, height, strokes)) }
}
