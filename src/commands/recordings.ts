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
import {
  connect,
  type ConnectionOptions,
  print,
  table,
  withConnection,
} from './terminal/connection.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { reportUsage, UsageProblem, withUsageCode } from './terminal/usage-problem.ts'

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
    .description('record what is done on a phone, and compare runs with it')
  const add = (name: string, tells: string): Command =>
    withConnection(withUsageCode(recordings.command(name)).description(tells))

  add('list <serial>', 'the recordings of a device, newest first').action(
    (serial: string, options: ConnectionOptions) => reportUsage(() => list(serial, options)),
  )
  add('start <serial>', 'begin to record a device')
    .option('--touch', 'what fingers do on the phone itself, not what goes through the daemon')
    .action((serial: string, options: ConnectionOptions & { touch?: boolean }) =>
      reportUsage(() => start(serial, options.touch === true ? 'touch' : 'proxy', options)),
    )
  add('stop <serial> <recording>', 'end a recording').action(
    (serial: string, recordingId: string, options: ConnectionOptions) =>
      reportUsage(() => stop({ serial, recordingId }, options)),
  )
  add('pull <serial> <recording>', 'the recording as a file, a line for each event')
    .option('-o, --output <file>', 'where to write it (default: standard output)')
    .action((serial: string, recordingId: string, options: FileOptions) =>
      reportUsage(() => pull({ serial, recordingId }, options)),
    )
  withExport(add('export <serial> <recording>', 'the durable form of a recording')).action(
    (serial: string, recordingId: string, options: ExportOptions) =>
      reportUsage(() => exported({ serial, recordingId }, options)),
  )
  withExport(add('export-file <file>', 'the durable form of a recording file')).action(
    (file: string, options: ExportOptions) => reportUsage(() => exportedFile(file, options)),
  )
  add('parse <file>', 'the steps of a recording file')
    .option('--full', 'keep typing, keys and scrolling as well')
    .option('-o, --output <file>', 'where to write it (default: standard output)')
    .action((file: string, options: FileOptions & { full?: boolean }) =>
      reportUsage(() => parse(file, options)),
    )
  add('compare', 'what a run of a skill has in common with a recording; exit code 1 if too little')
    .requiredOption('--baseline <file>', 'a recording export')
    .requiredOption('--result <file>', 'what the run gave, with `skillResult` in it')
    .option('--mode <mode>', 'auto, literal or semantic', 'auto')
    .option('--map <file>', 'which events are checkpoints (references/compare-map.json)')
    .action((options: CompareOptions) => reportUsage(() => compare(options)))
}

const withExport = (command: Command): Command =>
  command
    .option('--snapshots', 'with the trees')
    .option('--redact', 'without what was typed')
    .option('-o, --output <file>', 'where to write it (default: standard output)')

async function list(serial: string, options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listRecordings, { params: { serial } })
  print(options, listed, () =>
    table([
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

async function start(
  serial: string,
  source: RecordingSource,
  options: ConnectionOptions,
): Promise<void> {
  const begun = await connect(options)(startRecording, { params: { serial }, body: { source } })
  print(options, begun, () => `Recording ${begun.recording.recording_id}.`)
}

interface Named {
  readonly serial: string
  readonly recordingId: string
}

async function stop(params: Named, options: ConnectionOptions): Promise<void> {
  const ended = await connect(options)(stopRecording, { params })
  print(options, ended, () => `Ended with ${ended.recording.event_count} events.`)
}

async function pull(params: Named, options: FileOptions): Promise<void> {
  await put(await connect(options)(pullRecording, { params }), options)
}

async function exported(params: Named, options: ExportOptions): Promise<void> {
  const query = {
    snapshots: options.snapshots === true ? 'include' : 'omit',
    redact: options.redact === true ? 'true' : 'false',
  } as const
  const artifact = await connect(options)(exportRecording, { params, query })
  await put(JSON.stringify(artifact, null, 2), options)
}

async function exportedFile(file: string, options: ExportOptions): Promise<void> {
  const body = {
    ndjson: await read(file),
    snapshots: options.snapshots === true ? ('include' as const) : ('omit' as const),
    redact: options.redact === true,
  }
  const artifact = await connect(options)(exportRecordingFile, { body })
  await put(JSON.stringify(artifact, null, 2), options)
}

async function parse(file: string, options: FileOptions & { full?: boolean }): Promise<void> {
  const mode = options.full === true ? ('full' as const) : ('v1' as const)
  const body = { ndjson: await read(file), mode }
  const log = await connect(options)(parseRecordingFile, { body })
  await put(JSON.stringify(log, null, 2), options)
}

async function compare(options: CompareOptions): Promise<void> {
  const body = {
    baseline: await readJson(options.baseline),
    result: await readJson(options.result),
    mode: options.mode,
    ...(options.map !== undefined && { map: (await readJson(options.map)) as never }),
  }
  const report = await connect(options)(compareRecording, { body })
  print(options, report, () => reportWords(report))
  if (!report.ok) process.exitCode = exitCodes.problem
}

function reportWords(report: CompareReport): string {
  const { firstDivergence: at, baselineCoverage: coverage } = report
  return [
    `${report.outcome}: ${report.summary}`,
    `${coverage.covered} of ${coverage.declared} checkpoints of the recording (${report.compareMode}).`,
    ...(at === undefined
      ? []
      : [
          `First difference: ${at.baselineCheckpoint} in the recording, ${at.actualCheckpoint} in the run.`,
        ]),
  ].join('\n')
}

/** A dash is standard input. */
async function read(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch(() => {
    throw new UsageProblem(`${file} cannot be read.`)
  })
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await read(file)) as unknown
  } catch (error) {
    if (error instanceof UsageProblem) throw error
    throw new UsageProblem(`${file} is no JSON.`)
  }
}

async function put(content: string, { output }: FileOptions): Promise<void> {
  if (output === undefined) process.stdout.write(content.endsWith('\n') ? content : `${content}\n`)
  else await writeFile(output, content)
}
