import type { Device } from '../../model/device.ts'
import type { CanvasLibrary } from './canvas-library.ts'
import { Fonts } from './fonts.ts'
import { paintScreen } from './paint-screen.ts'
import { rasterize } from './rasterize.ts'

let fonts: Fonts | undefined

/** What is drawn. */
export interface DrawnScreen {
  /** Equal screens have equal keys. */
  readonly key: string
  readPixels(): Buffer
}

/** Describes the screen as it is now. The pixels are made on demand. */
export function describeScreen(device: Device, library: CanvasLibrary): DrawnScreen {
  fonts ??= new Fonts(library)
  const used = fonts
  const shapes = paintScreen(device, used)
  return {
    key: JSON.stringify(shapes),
    readPixels: () => rasterize(library, used, device.screen, shapes),
  }
}
