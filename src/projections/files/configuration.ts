import { findConfigDocument, listConfigDocuments, listIntentsSince } from '../../store/config/config-documents.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection } from '../engine/projection.ts'

const PACKS_FOLDER = '_support_packs/'
const isPack = (name: string): boolean => name.startsWith(PACKS_FOLDER)

const configDocuments = documentProjection({
  path: 'skills/config/<name>.json',
  keys: (reader) => listNames(reader).filter((name) => !isPack(name)),
  touched: ({ documents }) => [...documents].filter((name) => !isPack(name)),
  render: (reader, name) => render(reader, name),
})

/** Documents whose names start with the folder of support packs. */
const supportPackDocuments = documentProjection({
  path: 'skills/config/_support_packs/<capability_id>.json',
  keys: (reader) => listNames(reader).filter(isPack).map(withoutFolder),
  touched: ({ documents }) => [...documents].filter(isPack).map(withoutFolder),
  render: (reader, capability) => render(reader, `${PACKS_FOLDER}${capability}`),
})

const intents = logProjection({
  path: 'skills/config/intents.jsonl',
  rows: (reader, _key, span) => listIntentsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'config_intents', upTo),
  shrinks: () => false,
})

export const configurationProjections: readonly Projection[] = [configDocuments, supportPackDocuments, intents]

const listNames = (reader: Reader): string[] => listConfigDocuments(reader).map(({ name }) => name)

const withoutFolder = (name: string): string => name.slice(PACKS_FOLDER.length)

function render(reader: Reader, name: string): string | undefined {
  const document = findConfigDocument(reader, name)
  return document === undefined ? undefined : formatDocument(document.body)
}
