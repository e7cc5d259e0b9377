import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { request } from 'undici'
import { type EvidenceRef, screenshotDevice } from '@apprentice/contracts/devices/device.ts'
import { chooseDevice, type SerialOption } from './terminal/chosen-device.ts'
import {
  addressOf,
  connect,
  type ConnectionOptions,
  print,
  report,
  withConnection,
} from './terminal/connection.ts'
import { ProgressLine } from './terminal/progress-line.ts'

type ScreenshotOptions = ConnectionOptions & SerialOption & { readonly output?: string }

export function addScreenshotCommand(program: Command): void {
  withConnection(program.command('screenshot').description('save a picture of the screen'))
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('-o, --output <file>', 'where to write it; - for standard output')
    .action((options: ScreenshotOptions) => report(() => shoot(options)))
}

async function shoot(options: ScreenshotOptions): Promise<void> {
  const call = connect(options)
  const serial = await chooseDevice(call, options)
  const progress = new ProgressLine()
  progress.show(`taking a picture of ${serial}`)
  const taken = await call(screenshotDevice, { params: { serial }, body: {} }).finally(() =>
    progress.clear(),
  )
  const png = await download(taken.screenshot, options)
  if (options.output === '-') {
    process.stdout.write(png)
    return
  }
  const file = resolve(options.output ?? fileName(serial, taken.screenshot))
  await writeFile(file, png)
  const { width, height } = taken
  print(options, { ...taken, file }, () => `${file}  ${width} x ${height}, ${png.length} bytes`)
}

function fileName(serial: string, { created_at }: EvidenceRef): string {
  const words = `screenshot-${serial}-${created_at}`
  return `${words.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}.png`
}

/** The typed client reads text and JSON; a picture is neither. */
async function download({ url }: EvidenceRef, options: ConnectionOptions): Promise<Buffer> {
  const { baseUrl, token } = addressOf(options)
  const { statusCode, body } = await request(baseUrl + url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  if (statusCode !== 200) throw new Error(`The picture could not be fetched (HTTP ${statusCode}).`)
  return bytes
}
