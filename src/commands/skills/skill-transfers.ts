import { readFile, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Client } from '@apprentice/contracts/client.ts'
import {
  type ImportedSkillRecord,
  ImportSource,
  type SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import {
  exportAbility,
  installImport,
  listImports,
  scanBundle,
  stageImport,
  uploadBundle,
} from '@apprentice/contracts/skills/imports.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { formatTable } from '../terminal/table.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { ProgressLine } from '../terminal/progress-line.ts'

type ImportOptions = ConnectionOptions & {
  readonly source: ImportSource
  readonly pack?: string
  readonly stage?: boolean
  readonly install?: boolean
}
type ExportOptions = ConnectionOptions & { readonly output?: string }

export function addSkillTransferCommands(skills: Command): void {
  withConnection(skills.command('import <file>').description('upload a bundle and scan it'))
    .option(
      '--source <source>',
      `origin of the bundle: ${ImportSource.options.join(', ')}`,
      parseSource,
      'manual_upload',
    )
    .option('--pack <pack>', 'the pack it belongs to')
    .option('--stage', 'unpack it for review if the scan finds no errors')
    .option('--install', 'unpack it and install it for yourself')
    .action((file: string, options: ImportOptions) => reportFailures(() => importBundle(file, options)))
  withConnection(skills.command('imports').description('list the imported bundles')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(skills.command('export <ability>').description('save an ability as a bundle'))
    .option('-o, --output <file>', 'output file, or - for standard output')
    .action((ability: string, options: ExportOptions) => reportFailures(() => exportBundle(ability, options)))
}

function parseSource(value: string): ImportSource {
  const parsed = ImportSource.safeParse(value)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`Expected one of ${ImportSource.options.join(', ')}.`)
}

async function importBundle(file: string, options: ImportOptions): Promise<void> {
  const call = connect(options)
  const progress = new ProgressLine()
  progress.show(`uploading ${file}`)
  try {
    const { temp_artifact } = await uploadFile(call, file, options)
    progress.show('scanning')
    const { temp_artifact_ref } = temp_artifact
    const body = { source: options.source, temp_artifact_ref }
    const found = await call(scanBundle, { body })
    const record = await continueImport(call, found, { options, progress })
    progress.clear()
    printImport(options, record, found.compatibility_report)
  } finally {
    progress.clear()
  }
}

async function uploadFile(call: Client, file: string, { source, pack }: ImportOptions) {
  const form = new FormData()
  const metadata = { source, ...(pack === undefined ? {} : { requested_pack_id: pack }) }
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }))
  form.set('bundle', new Blob([await readFile(file)], { type: 'application/zip' }), basename(file))
  return call.upload(uploadBundle, { form })
}

/** Unpacks and installs the bundle as far as the options say and the scan permits. */
async function continueImport(
  call: Client,
  found: { import_record: ImportedSkillRecord; compatibility_report: SkillCompatibilityReport },
  { options, progress }: { options: ImportOptions; progress: ProgressLine },
): Promise<ImportedSkillRecord> {
  const { import_record, compatibility_report } = found
  const hasNextStep = options.stage === true || options.install === true
  if (!hasNextStep || !compatibility_report.compatible) return import_record
  const body = { import_id: import_record.import_id }
  progress.show('unpacking')
  const staged = await call(stageImport, { body })
  if (options.install !== true) return staged.import_record
  progress.show('installing')
  return (await call(installImport, { body })).import_record
}

function printImport(
  options: ImportOptions,
  import_record: ImportedSkillRecord,
  compatibility_report: SkillCompatibilityReport,
): void {
  printResult(options, { import_record, compatibility_report }, () => {
    const { skill_name, stage_state, import_id, ability_id } = import_record
    const findings = compatibility_report.findings.map(
      ({ severity, code, message, path_hint, line }) =>
        `${severity.padEnd(7)}  ${code}  ${path_hint === undefined ? '' : `${path_hint}${line === undefined ? '' : `:${line}`}: `}${message}`,
    )
    return [...findings, `${skill_name}  ${stage_state}  ${ability_id ?? import_id}`].join('\n')
  })
  if (!compatibility_report.compatible) process.exitCode = EXIT_CODES.failure
}

async function list(options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const found = await call(listImports, { query: { page_size: 100 } })
  printResult(options, found, () =>
    found.items.length === 0
      ? 'No bundles were imported.'
      : formatTable([
          ['import', 'skill', 'state', 'warnings'],
          ...found.items.map((item) => [item.import_id, item.skill_name, item.stage_state, item.warnings.join(' ')]),
        ]),
  )
}

async function exportBundle(abilityId: string, options: ExportOptions): Promise<void> {
  const { bytes: bundle } = await connect(options).download(exportAbility, { params: { abilityId } })
  if (options.output === '-') {
    process.stdout.write(bundle)
    return
  }
  const name = `${abilityId.replace(/^\w+\./, '')}.skillbundle.zip`
  const file = resolve(options.output ?? name)
  await writeFile(file, bundle)
  printResult(options, { ability_id: abilityId, file, bytes: bundle.length }, () => `${file}  ${bundle.length} bytes`)
}
