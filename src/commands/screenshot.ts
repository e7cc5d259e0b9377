import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type EvidenceRef, getEvidence, screenshotDevice } from '@apprentice/contracts/devices/device.ts'
import { chooseDevice, type SerialOption } from './terminal/device-choice.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { ProgressLine } from './terminal/progress-line.ts'

type ScreenshotOptions = ConnectionOptions & SerialOption & { readonly output?: string }

export function addScreenshotCommand(program: Command): void {
  withConnection(program.command('screenshot').description('save a screenshot as PNG'))
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('-o, --output <file>', 'output file, or - for standard output')
    .action((options: ScreenshotOptions) => reportFailures(() => takeScreenshot(options)))
}

async function takeScreenshot(options: ScreenshotOptions): Promise<void> {
  const call = connect(options)
  const serial = await chooseDevice(call, options)
  const progress = new ProgressLine()
  progress.show(`taking a screenshot of ${serial}`)
  const taken = await call(screenshotDevice, { params: { serial }, body: {} }).finally(() => progress.clear())
  const { bytes: png } = await call.download(getEvidence, { params: { evidenceId: taken.screenshot.evidence_id } })
  if (options.output === '-') {
    process.stdout.write(png)
    return
  }
  const file = resolve(options.output ?? buildFileName(serial, taken.screenshot))
  await writeFile(file, png)
  const { width, height } = taken
  printResult(options, { ...taken, file }, () => `${file}  ${width} x ${height}, ${png.length} bytes`)
}

function buildFileName(serial: string, { created_at }: EvidenceRef): string {
  const name = `screenshot-${serial}-${created_at}`
  return `${name.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}.png`
}
