import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { compareRecording, type CompareReport } from '@apprentice/contracts/devices/compare.ts'
import {
  exportRecording,
  exportRecordingFile,
  listRecordings,
  parseRecordingFile,
  pullRecording,
  type RecordingSource,
  startRecording,
  stopRecording,
} from '@apprentice/contracts/devices/recording.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from './terminal/usage-error.ts'

type FileOptions = ConnectionOptions & { readonly output?: string }
type ExportOptions = FileOptions & { readonly snapshots?: boolean; readonly redact?: boolean }
type CompareOptions = ConnectionOptions & {
  readonly baseline: string
  readonly result: string
  readonly mode: 'auto' | 'literal' | 'semantic'
  readonly map?: string
}

export function addRecordingsCommand(program: Command): void {
  const recordings = program
    .command('recordings')
    .summary('record actions on a phone')
    .description('Records actions on a phone, and compares skill runs with recordings.')
  const add = (name: string, description: string): Command =>
    withConnection(withUsageExitCode(recordings.command(name)).description(description))

  add('list <serial>', 'list the recordings of a device, newest first').action(
    (serial: string, options: ConnectionOptions) => reportUsageFailures(() => list(serial, options)),
  )
  add('start <serial>', 'start a recording')
    .option('--touch', 'record touches on the phone itself instead of actions of the daemon')
    .action((serial: string, options: ConnectionOptions & { touch?: boolean }) =>
      reportUsageFailures(() => start(serial, options.touch === true ? 'touch' : 'proxy', options)),
    )
  add('stop <serial> <recording>', 'stop a recording').action(
    (serial: string, recordingId: string, options: ConnectionOptions) =>
      reportUsageFailures(() => stop({ serial, recordingId }, options)),
  )
  add('pull <serial> <recording>', 'download a recording, one JSON line per event')
    .option('-o, --output <file>', 'output file (default: standard output)')
    .action((serial: string, recordingId: string, options: FileOptions) =>
      reportUsageFailures(() => pull({ serial, recordingId }, options)),
    )
  withExport(add('export <serial> <recording>', 'export a recording in its durable form')).action(
    (serial: string, recordingId: string, options: ExportOptions) =>
      reportUsageFailures(() => exportFromDevice({ serial, recordingId }, options)),
  )
  withExport(add('export-file <file>', 'export a recording file in its durable form')).action(
    (file: string, options: ExportOptions) => reportUsageFailures(() => exportFromFile(file, options)),
  )
  add('parse <file>', 'print the steps of a recording file')
    .option('--full', 'include typing, keys and scrolling')
    .option('-o, --output <file>', 'output file (default: standard output)')
    .action((file: string, options: FileOptions & { full?: boolean }) =>
      reportUsageFailures(() => parse(file, options)),
    )
  add('compare', 'compare a skill run with a recording; exit code 1 if they differ')
    .requiredOption('--baseline <file>', 'a recording export')
    .requiredOption('--result <file>', 'the output of the run, with `skillResult` in it')
    .option('--mode <mode>', 'auto, literal or semantic', 'auto')
    .option('--map <file>', 'map of events to checkpoints (references/compare-map.json)')
    .action((options: CompareOptions) => reportUsageFailures(() => compare(options)))
}

const withExport = (command: Command): Command =>
  command
    .option('--snapshots', 'include the UI trees')
    .option('--redact', 'omit typed text')
    .option('-o, --output <file>', 'output file (default: standard output)')

async function list(serial: string, options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listRecordings, { params: { serial } })
  printResult(options, listed, () =>
    formatTable([
      ['RECORDING', 'STATE', 'SOURCE', 'EVENTS', 'STARTED'],
      ...listed.recordings.map(({ recording_id, state, source, event_count, started_at }) => [
        recording_id,
        state,
        source,
        String(event_count),
        started_at,
      ]),
    ]),
  )
}

async function start(serial: string, source: RecordingSource, options: ConnectionOptions): Promise<void> {
  const started = await connect(options)(startRecording, { params: { serial }, body: { source } })
  printResult(options, started, () => `Started recording ${started.recording.recording_id}.`)
}

interface RecordingParams {
  readonly serial: string
  readonly recordingId: string
}

async function stop(params: RecordingParams, options: ConnectionOptions): Promise<void> {
  const stopped = await connect(options)(stopRecording, { params })
  printResult(options, stopped, () => `Stopped with ${stopped.recording.event_count} events.`)
}

async function pull(params: RecordingParams, options: FileOptions): Promise<void> {
  await writeResult(await connect(options)(pullRecording, { params }), options)
}

async function exportFromDevice(params: RecordingParams, options: ExportOptions): Promise<void> {
  const query = {
    snapshots: options.snapshots === true ? 'include' : 'omit',
    redact: options.redact === true ? 'true' : 'false',
  } as const
  const artifact = await connect(options)(exportRecording, { params, query })
  await writeResult(JSON.stringify(artifact, null, 2), options)
}

async function exportFromFile(file: string, options: ExportOptions): Promise<void> {
  const body = {
    ndjson: await readInput(file),
    snapshots: options.snapshots === true ? ('include' as const) : ('omit' as const),
    redact: options.redact === true,
  }
  const artifact = await connect(options)(exportRecordingFile, { body })
  await writeResult(JSON.stringify(artifact, null, 2), options)
}

async function parse(file: string, options: FileOptions & { full?: boolean }): Promise<void> {
  const mode = options.full === true ? ('full' as const) : ('v1' as const)
  const body = { ndjson: await readInput(file), mode }
  const log = await connect(options)(parseRecordingFile, { body })
  await writeResult(JSON.stringify(log, null, 2), options)
}

async function compare(options: CompareOptions): Promise<void> {
  const body = {
    baseline: await readJson(options.baseline),
    result: await readJson(options.result),
    mode: options.mode,
    ...(options.map !== undefined && { map: (await readJson(options.map)) as never }),
  }
  const report = await connect(options)(compareRecording, { body })
  printResult(options, report, () => formatReport(report))
  if (!report.ok) process.exitCode = EXIT_CODES.failure
}

function formatReport(report: CompareReport): string {
  const { firstDivergence: at, baselineCoverage: coverage } = report
  return [
    `${report.outcome}: ${report.summary}`,
    `${coverage.covered} of ${coverage.declared} checkpoints of the recording were reached (${report.compareMode}).`,
    ...(at === undefined
      ? []
      : [`First difference: ${at.baselineCheckpoint} in the recording, ${at.actualCheckpoint} in the run.`]),
  ].join('\n')
}

/** `-` is standard input. */
async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch(() => {
    throw new UsageError(`${file} cannot be read.`)
  })
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readInput(file)) as unknown
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file} is not valid JSON.`)
  }
}

async function writeResult(content: string, { output }: FileOptions): Promise<void> {
  if (output === undefined) process.stdout.write(content.endsWith('\n') ? content : `${content}\n`)
  else await writeFile(output, content)
}
