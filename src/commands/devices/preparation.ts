import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import {
  type DevicePreparation,
  type DeviceReport,
  getPreparation,
  prepareDevice,
  reportDevice,
  unprepareDevice,
} from '@apprentice/contracts/devices/preparation.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { formatTable } from '../terminal/table.ts'

interface PrepareOptions extends ConnectionOptions {
  readonly apk?: readonly string[]
}

interface ReportOptions extends ConnectionOptions {
  readonly out?: string
}

/** `apprentice devices prepare`, `unprepare`, `prepared` and `report`. */
export function addPreparationCommands(devices: Command): void {
  withConnection(devices.command('prepare <serial>'))
    .description('install the helpers that read screens faster and type any text')
    .option('--apk <file...>', 'the APKs of the pinned version, for machines without a registry')
    .action((serial: string, _: PrepareOptions, command: Command) =>
      reportFailures(() => prepare(serial, command.optsWithGlobals())),
    )
  withConnection(
    devices.command('unprepare <serial>').description('remove the helpers and restore the keyboard'),
  ).action((serial: string, _: ConnectionOptions, command: Command) =>
    reportFailures(() => unprepare(serial, command.optsWithGlobals())),
  )
  withConnection(devices.command('prepared <serial>').description('show the helpers and how screens are read')).action(
    (serial: string, _: ConnectionOptions, command: Command) =>
      reportFailures(() => show(serial, command.optsWithGlobals())),
  )
  withConnection(devices.command('report <serial>'))
    .description('collect versions, times and one anonymised tree of the screen, to send with a report')
    .option('--out <file>', 'write the report as JSON into this file')
    .action((serial: string, _: ReportOptions, command: Command) =>
      reportFailures(() => report(serial, command.optsWithGlobals())),
    )
}

async function prepare(serial: string, options: PrepareOptions): Promise<void> {
  const { downloadHelperApks } = await import('./helper-package.ts')
  const { apk: files } = options
  const apks = files === undefined ? await downloadHelperApks() : await Promise.all(files.map((file) => readFile(file)))
  const body = { apks: apks.map((apk) => apk.toString('base64')) }
  const prepared = await connect(options)(prepareDevice, { params: { serial }, body })
  printResult(options, prepared, () => formatPreparation(prepared))
}

async function unprepare(serial: string, options: ConnectionOptions): Promise<void> {
  const left = await connect(options)(unprepareDevice, { params: { serial } })
  printResult(options, left, () => formatPreparation(left))
}

async function show(serial: string, options: ConnectionOptions): Promise<void> {
  const found = await connect(options)(getPreparation, { params: { serial } })
  printResult(options, found, () => formatPreparation(found))
}

async function report(serial: string, options: ReportOptions): Promise<void> {
  const found = await connect(options)(reportDevice, { params: { serial } })
  const { out } = options
  if (out !== undefined) await writeFile(out, `${JSON.stringify(found, undefined, 2)}\n`)
  printResult(options, found, () => formatReport(found, out))
}

function formatPreparation({ prepared_version, version, installed, screens }: DevicePreparation): string {
  const { source, helper, dump, failures, last_failure } = screens
  const rows = [
    ['prepared', prepared_version === undefined ? 'no' : `with ${prepared_version}, known is ${version}`],
    ['snapshot helper', formatVersion(installed.snapshot)],
    ['keyboard helper', formatVersion(installed.keyboard)],
    ['last reading', source ?? 'none'],
    ['helper', formatTimes(helper)],
    ['dump', formatTimes(dump)],
    ...Object.entries(failures).map(([kind, count]) => [`not read by the helper`, `${count}x ${kind}`]),
    ...(last_failure === undefined ? [] : [['last reason', last_failure.message]]),
  ]
  return formatTable(rows)
}

const formatVersion = (code: number | undefined): string => (code === undefined ? 'not installed' : String(code))

function formatTimes(times: DevicePreparation['screens']['helper']): string {
  if (times === undefined) return '-'
  return `${times.readings} readings, median ${times.median_ms} ms, slowest ${times.slowest_ms} ms`
}

function formatReport({ facts, dump_ms, helper_ms, helper_start_ms, tree, simulated }: DeviceReport, out?: string) {
  const rows = [
    ['device', `${facts.manufacturer ?? '?'} ${facts.model ?? '?'}${simulated ? ' (simulated)' : ''}`],
    ['android', `${facts.android_version ?? '?'} (SDK ${facts.sdk ?? '?'})`],
    ['dump', `${dump_ms.join(', ')} ms`],
    ['helper', helper_ms.length === 0 ? 'not used' : `${helper_ms.join(', ')} ms, start ${helper_start_ms ?? '?'} ms`],
    ['tree', `${tree.length} characters, without words${out === undefined ? '; --out writes it to a file' : ''}`],
  ]
  return formatTable(rows)
}
