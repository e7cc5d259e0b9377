import { readFile, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { FormData as Form, request } from 'undici'
import { type Call, fillPath } from '@apprentice/contracts/client.ts'
import { FailureReply } from '@apprentice/contracts/base/route.ts'
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
import {
  addressOf,
  connect,
  type ConnectionOptions,
  print,
  report,
  table,
  withConnection,
} from '../terminal/connection.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { ProgressLine } from '../terminal/progress-line.ts'

type ImportOptions = ConnectionOptions & {
  readonly source: ImportSource
  readonly pack?: string
  readonly stage?: boolean
  readonly install?: boolean
}
type ExportOptions = ConnectionOptions & { readonly output?: string }

export function addSkillTransferCommands(skills: Command): void {
  withConnection(skills.command('import <file>').description('send a bundle and look it through'))
    .option(
      '--source <source>',
      `where it comes from: ${ImportSource.options.join(', ')}`,
      source,
      'manual_upload',
    )
    .option('--pack <pack>', 'the pack it belongs to')
    .option('--stage', 'unpack it for review when nothing is wrong with it')
    .option('--install', 'and install it for yourself')
    .action((file: string, options: ImportOptions) => report(() => bringIn(file, options)))
  withConnection(
    skills.command('imports').description('list the bundles that were brought in'),
  ).action((options: ConnectionOptions) => report(() => list(options)))
  withConnection(skills.command('export <ability>').description('save an ability as a bundle'))
    .option('-o, --output <file>', 'where to write it; - for standard output')
    .action((ability: string, options: ExportOptions) => report(() => takeOut(ability, options)))
}

function source(value: string): ImportSource {
  const read = ImportSource.safeParse(value)
  if (read.success) return read.data
  throw new InvalidArgumentError(`It is one of ${ImportSource.options.join(', ')}.`)
}

async function bringIn(file: string, options: ImportOptions): Promise<void> {
  const call = connect(options)
  const progress = new ProgressLine()
  progress.show(`sending ${file}`)
  try {
    const { temp_artifact } = await send(call, file, options)
    progress.show('looking it through')
    const { temp_artifact_ref } = temp_artifact
    const body = { source: options.source, temp_artifact_ref }
    const found = await call(scanBundle, { body })
    const record = await goOn(call, found, { options, progress })
    progress.clear()
    tell(options, record, found.compatibility_report)
  } finally {
    progress.clear()
  }
}

async function send(call: Call, file: string, { source: from, pack }: ImportOptions) {
  // Of the same make as the fetch that sends it, which takes no other.
  const form = new Form()
  const metadata = { source: from, ...(pack === undefined ? {} : { requested_pack_id: pack }) }
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }))
  form.set('bundle', new Blob([await readFile(file)], { type: 'application/zip' }), basename(file))
  return call(uploadBundle, { form })
}

/** As far as was asked for, and as what was found allows. */
async function goOn(
  call: Call,
  found: { import_record: ImportedSkillRecord; compatibility_report: SkillCompatibilityReport },
  { options, progress }: { options: ImportOptions; progress: ProgressLine },
): Promise<ImportedSkillRecord> {
  const { import_record, compatibility_report } = found
  const wanted = options.stage === true || options.install === true
  if (!wanted || !compatibility_report.compatible) return import_record
  const body = { import_id: import_record.import_id }
  progress.show('unpacking it')
  const staged = await call(stageImport, { body })
  if (options.install !== true) return staged.import_record
  progress.show('installing it')
  return (await call(installImport, { body })).import_record
}

function tell(
  options: ImportOptions,
  import_record: ImportedSkillRecord,
  compatibility_report: SkillCompatibilityReport,
): void {
  print(options, { import_record, compatibility_report }, () => {
    const { skill_name, stage_state, import_id, ability_id } = import_record
    const findings = compatibility_report.findings.map(
      ({ severity, code, message, path_hint }) =>
        `${severity.padEnd(7)}  ${code}  ${path_hint === undefined ? '' : `${path_hint}: `}${message}`,
    )
    return [...findings, `${skill_name}  ${stage_state}  ${ability_id ?? import_id}`].join('\n')
  })
  if (!compatibility_report.compatible) process.exitCode = exitCodes.problem
}

async function list(options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const found = await call(listImports, { query: { page_size: 100 } })
  print(options, found, () =>
    found.items.length === 0
      ? 'Nothing was brought in.'
      : table([
          ['import', 'skill', 'state', 'warnings'],
          ...found.items.map((item) => [
            item.import_id,
            item.skill_name,
            item.stage_state,
            item.warnings.join(' '),
          ]),
        ]),
  )
}

async function takeOut(abilityId: string, options: ExportOptions): Promise<void> {
  const bundle = await download(abilityId, options)
  if (options.output === '-') {
    process.stdout.write(bundle)
    return
  }
  const name = `${abilityId.replace(/^\w+\./, '')}.skillbundle.zip`
  const file = resolve(options.output ?? name)
  await writeFile(file, bundle)
  print(
    options,
    { ability_id: abilityId, file, bytes: bundle.length },
    () => `${file}  ${bundle.length} bytes`,
  )
}

/** The typed client reads text and JSON; a bundle is neither. */
async function download(abilityId: string, options: ConnectionOptions): Promise<Buffer> {
  const { baseUrl, token } = addressOf(options)
  const { statusCode, body } = await request(baseUrl + fillPath(exportAbility.url, { abilityId }), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  if (statusCode === 200) return bytes
  const refused = FailureReply.safeParse(JSON.parse(bytes.toString('utf8')))
  const { message, code } = refused.data?.error ?? {
    message: 'It could not be fetched',
    code: `HTTP ${statusCode}`,
  }
  throw new Error(`${message} (${code})`)
}
