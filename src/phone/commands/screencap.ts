import { FileRefusal } from '../host/file-tree.ts'
import type { Device } from '../model/device.ts'
import { draw, type Stroke } from '../picture/canvas.ts'
import { paintScreen } from '../picture/paint.ts'
import { encodePng, rgbaOf } from '../picture/png.ts'
import { complain, type Call } from '../shell/command.ts'

/** `screencap`: PNG with -p or a .png name, else a header and raw pixels. */
export async function screencap(call: Call): Promise<number> {
  const { device, args } = call
  const words = args.filter((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-d')
  const [path] = words
  await device.clock.sleep(device.latency.screencapMs, call.signal)
  if (call.signal.aborted) return 129
  const isPng = args.includes('-p') || path?.endsWith('.png') === true
  const picture = isPng ? await screenPng(device) : rawPicture(device)
  if (path === undefined) {
    call.stdout(picture)
    return 0
  }
  try {
    device.files.save(path, picture)
    return 0
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error
    complain(call, `Error opening file: ${path} (${error.message})\n`)
    return 1
  }
}

const drawn = new WeakMap<Device, { readonly key: string; readonly png: Promise<Buffer> }>()

/** A screen that has not changed is not drawn again. */
function screenPng(device: Device): Promise<Buffer> {
  const strokes = paintScreen(device)
  const key = JSON.stringify(strokes)
  const last = drawn.get(device)
  if (last?.key === key) return last.png
  const png = encodePng(canvasOf(device, strokes))
  drawn.set(device, { key, png })
  return png
}

function canvasOf(device: Device, strokes: readonly Stroke[]) {
  return draw(device.screen.width, device.screen.height, strokes)
}

const RGBA_8888 = 1
const SRGB = 1

function rawPicture(device: Device): Buffer {
  const canvas = canvasOf(device, paintScreen(device))
  const header = Buffer.alloc(16)
  for (const [index, value] of [canvas.width, canvas.height, RGBA_8888, SRGB].entries()) {
    header.writeUInt32LE(value, index * 4)
  }
  return Buffer.concat([header, rgbaOf(canvas)])
}
