import { FileError } from '../host/file-tree.ts'
import type { Device } from '../model/device.ts'
import { takePicture } from '../picture/picture.ts'
import { encodePng } from '../picture/png.ts'
import { printError, type Call } from '../shell/command.ts'

/** `screencap`: writes a PNG with -p or a .png file name, otherwise a header and raw pixels. */
export async function screencap(call: Call): Promise<number> {
  const { device, args } = call
  const paths = args.filter((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-d')
  const [path] = paths
  await device.clock.sleep(device.latency.screencapMs, call.signal)
  if (call.signal.aborted) return 129
  const isPng = args.includes('-p') || path?.endsWith('.png') === true
  const picture = isPng ? encodeScreen(device) : encodeRaw(device)
  if (path === undefined) {
    call.stdout(picture)
    return 0
  }
  try {
    device.files.save(path, picture)
    return 0
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    printError(call, `Error opening file: ${path} (${error.message})\n`)
    return 1
  }
}

const pngCache = new WeakMap<Device, { readonly key: string; readonly png: Buffer }>()

/** Encodes the screen as PNG. Reuses the last PNG while the screen does not change. */
function encodeScreen(device: Device): Buffer {
  const picture = takePicture(device)
  const last = pngCache.get(device)
  if (last?.key === picture.key) return last.png
  const png = encodePng(picture)
  pngCache.set(device, { key: picture.key, png })
  return png
}

const RGBA_8888 = 1
const SRGB = 1

function encodeRaw(device: Device): Buffer {
  const picture = takePicture(device)
  const header = Buffer.alloc(16)
  for (const [index, value] of [picture.width, picture.height, RGBA_8888, SRGB].entries()) {
    header.writeUInt32LE(value, index * 4)
  }
  return Buffer.concat([header, picture.readPixels()])
}
