import { readFile, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type AcrobatOperation,
  extractTables,
  extractText,
  prepareRedaction,
  recognizeText,
  TableMode,
} from '@apprentice/contracts/documents/adapter.ts'
import { downloadDocument, listDocuments, uploadDocument } from '@apprentice/contracts/documents/documents.ts'
import { DataClass, PageRange } from '@apprentice/contracts/documents/fields.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

type AddOptions = ConnectionOptions & { readonly class: DataClass; readonly days: string }
type ReadOptions = ConnectionOptions & { readonly pages?: string; readonly output?: string }
type Result = { readonly operation: AcrobatOperation; readonly options: ReadOptions; readonly format?: 'csv' | 'txt' }

export function addDocumentsCommand(program: Command): void {
  const documents = program.command('documents').description('documents: text, tables, OCR and redaction proposals')
  withConnection(documents.command('list').description('list your documents')).action((options: ConnectionOptions) =>
    reportFailures(() => list(options)),
  )
  withConnection(documents.command('add <file>').description('upload a PDF, PNG, JPEG or TIFF file'))
    .addOption(new Option('--class <class>', 'how sensitive it is').choices(DataClass.options).default('unknown'))
    .option('--days <number>', 'how long it is kept', '90')
    .action((file: string, options: AddOptions) => reportFailures(() => add(file, options)))
  addReadingCommands(documents)
  addRedactCommand(documents)
}

function addReadingCommands(documents: Command): void {
  withPages(documents.command('text <document>').description('print the text of a document'))
    .option('--ocr', 'read pages without text by OCR')
    .action((ref: string, options: ReadOptions & { readonly ocr?: boolean }) =>
      reportFailures(async () => {
        const body = {
          ...readSource(ref, options),
          capability: 'extract_text' as const,
          ocr_fallback: options.ocr === true,
        }
        await print({ operation: await connect(options)(extractText, { body }), options, format: 'txt' })
      }),
    )
  withPages(documents.command('tables <document>').description('print the tables of a document as CSV'))
    .addOption(new Option('--mode <mode>', 'how tables are found').choices(TableMode.options).default('auto'))
    .action((ref: string, options: ReadOptions & { readonly mode: TableMode }) =>
      reportFailures(async () => {
        const body = { ...readSource(ref, options), capability: 'extract_tables' as const, table_mode: options.mode }
        await print({ operation: await connect(options)(extractTables, { body }), options, format: 'csv' })
      }),
    )
  withPages(documents.command('ocr <document>').description('print the text in the pictures of a document'))
    .option('--language <language>', 'such as eng, or deu+eng')
    .action((ref: string, options: ReadOptions & { readonly language?: string }) =>
      reportFailures(async () => {
        const { language } = options
        const hint = language === undefined ? {} : { language_hint: language }
        const body = { ...readSource(ref, options), capability: 'ocr' as const, ...hint }
        await print({ operation: await connect(options)(recognizeText, { body }), options, format: 'txt' })
      }),
    )
}

function addRedactCommand(documents: Command): void {
  withPages(documents.command('redact <document> <patterns...>'))
    .summary('propose what to redact, after a person approved it')
    .description(
      'Proposes boxes to redact. Patterns are email, phone, iban, card, name:<name> and term:<words>. A person has to approve it first.',
    )
    .action((ref: string, patterns: string[], options: ReadOptions) =>
      reportFailures(async () => {
        const body = { ...readSource(ref, options), capability: 'redaction_prep' as const, pattern_set: patterns }
        await print({ operation: await connect(options)(prepareRedaction, { body }), options })
      }),
    )
}

const withPages = (command: Command): Command =>
  withConnection(command)
    .option('--pages <range>', 'such as 1-3,7', parsePages)
    .option('-o, --output <file>', 'write the result to a file')

function parsePages(value: string): string {
  if (PageRange.safeParse(value).success) return value
  throw new InvalidArgumentError('Expected ascending pages, such as 1-3,7.')
}

const readSource = (source_ref: string, { pages }: ReadOptions) => ({
  source_ref_kind: 'document_ref' as const,
  source_ref,
  ...(pages === undefined ? {} : { page_range: pages }),
})

async function list(options: ConnectionOptions): Promise<void> {
  const found = await connect(options)(listDocuments, { query: { page_size: 100 } })
  const rows = found.documents.map((one) => [one.document_ref, one.media_type, one.data_class, one.file_name])
  printResult(options, found, () =>
    rows.length === 0 ? 'There are no documents.' : formatTable([['DOCUMENT', 'TYPE', 'CLASS', 'NAME'], ...rows]),
  )
}

async function add(file: string, options: AddOptions): Promise<void> {
  const form = new FormData()
  const metadata = { data_class: options.class, retention_days: Number(options.days) }
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }))
  form.set('document', new Blob([await readFile(file)]), basename(file))
  const made = await connect(options).upload(uploadDocument, { form })
  printResult(options, made, () => made.document.document_ref)
}

/** Prints the result in the format that people read, or JSON if there is no other. */
async function print({ operation, options, format }: Result): Promise<void> {
  const { output_ref, further_output_refs, warning_codes, state } = operation
  for (const code of warning_codes) process.stderr.write(`warning: ${code}\n`)
  const documentRef =
    (options.json === true || format === undefined ? output_ref : further_output_refs[0]) ?? output_ref
  if (documentRef === undefined) {
    printResult(options, operation, () => `${operation.operation_id} is ${state}.`)
    return
  }
  const { bytes } = await connect(options).download(downloadDocument, { params: { documentRef } })
  if (options.output === undefined) {
    process.stdout.write(bytes)
    return
  }
  const file = resolve(options.output)
  await writeFile(file, bytes)
  printResult(options, { ...operation, file }, () => `${file}  ${bytes.length} bytes`)
}
