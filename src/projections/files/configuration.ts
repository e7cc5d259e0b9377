import { PACKS_FOLDER, PREFERENCES_FOLDER } from '../../domain/intents/document-names.ts'
import { findConfigDocument, listConfigDocuments, listIntentsSince } from '../../store/config/config-documents.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection } from '../engine/projection.ts'

const isInFolder = (name: string): boolean => name.includes('/')

const configDocuments = documentProjection({
  path: 'skills/config/<name>.json',
  keys: (reader) => listNames(reader).filter((name) => !isInFolder(name)),
  touched: ({ documents }) => [...documents].filter((name) => !isInFolder(name)),
  render: (reader, name) => render(reader, name),
})

/** Documents whose names start with the folder of preferences. */
const preferenceDocuments = documentProjection({
  path: 'skills/config/_user_preferences/<user_id>.json',
  keys: (reader) => listInFolder(listNames(reader), PREFERENCES_FOLDER),
  touched: ({ documents }) => listInFolder([...documents], PREFERENCES_FOLDER),
  render: (reader, user) => render(reader, `${PREFERENCES_FOLDER}${user}`),
})

/** Documents whose names start with the folder of support packs. */
const supportPackDocuments = documentProjection({
  path: 'skills/config/_support_packs/<capability_id>.json',
  keys: (reader) => listInFolder(listNames(reader), PACKS_FOLDER),
  touched: ({ documents }) => listInFolder([...documents], PACKS_FOLDER),
  render: (reader, capability) => render(reader, `${PACKS_FOLDER}${capability}`),
})

const intents = logProjection({
  path: 'skills/config/intents.jsonl',
  rows: (reader, _key, span) => listIntentsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'config_intents', upTo),
  shrinks: () => false,
})

export const configurationProjections: readonly Projection[] = [
  configDocuments,
  preferenceDocuments,
  supportPackDocuments,
  intents,
]

const listNames = (reader: Reader): string[] => listConfigDocuments(reader).map(({ name }) => name)

const listInFolder = (names: readonly string[], folder: string): string[] =>
  names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length))

function render(reader: Reader, name: string): string | undefined {
  const document = findConfigDocument(reader, name)
  return document === undefined ? undefined : formatDocument(document.body)
}
