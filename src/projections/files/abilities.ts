import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { toAvailabilityEntry, toCatalogEntry } from '../../domain/abilities/catalog.ts'
import { type AbilityRow, listAbilities } from '../../store/abilities/abilities.ts'
import { listAbilityCategories } from '../../store/abilities/abilities-categories.ts'
import { getAbilitySnapshot } from '../../store/abilities/abilities-snapshot.ts'
import type { Reader } from '../../store/db/db.ts'
import type { Changes } from '../engine/changes.ts'
import { documentProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const PAGE_SIZE = 250
const MIN_INTERVAL_MS = 2000

const ABILITY_KINDS: readonly EventKind[] = [
  'ability.registered',
  'ability.changed',
  'ability.removed',
  'ability.snapshot.updated',
  'ability.refresh.requested',
]

const touchedByAbilities = ({ kinds }: Changes) => (ABILITY_KINDS.some((kind) => kinds.has(kind)) ? [SINGLE_KEY] : [])

/** The stored abilities. Computed fields are in the availability document. */
const registry = documentProjection({
  path: 'abilities/registry_current.json',
  minIntervalMs: MIN_INTERVAL_MS,
  touched: touchedByAbilities,
  render: (reader) =>
    renderAbilities(reader, {
      list: 'abilities',
      entry: ({ usable_now: _u, reason_unusable: _r, checkpoint_health: _h, ...facts }) => ({
        ...facts,
        schema_version: 1,
      }),
    }),
})

const availability = documentProjection({
  path: 'abilities/availability_current.json',
  minIntervalMs: MIN_INTERVAL_MS,
  touched: touchedByAbilities,
  render: (reader) => {
    const { snapshot_as_of, latest_trigger_at, stale } = getAbilitySnapshot(reader)
    return renderAbilities(reader, {
      list: 'abilities',
      entry: toAvailabilityEntry,
      fields: { snapshot_as_of, _ec: { latest_trigger_at, stale } },
    })
  },
})

const catalog = documentProjection({
  path: 'abilities/catalog_current.json',
  minIntervalMs: MIN_INTERVAL_MS,
  touched: (changes) => (changes.kinds.has('category.changed') ? [SINGLE_KEY] : touchedByAbilities(changes)),
  render: (reader) => {
    const categories = listAbilityCategories(reader)
    return renderAbilities(reader, {
      list: 'items',
      entry: (ability) => toCatalogEntry(ability, categories),
      fields: { refreshed_at: getAbilitySnapshot(reader).snapshot_as_of },
    })
  },
})

export const abilityProjections: readonly Projection[] = [registry, availability, catalog]

interface ListParts {
  readonly list: string
  readonly entry: (ability: AbilityRow) => object
  /** Fields after the list. */
  readonly fields?: object
}

/** Renders the same text as `formatDocument`, in pieces. */
function renderAbilities(reader: Reader, parts: ListParts): Iterable<string> | undefined {
  return listAbilities(reader, { limit: 1 }).length === 0 ? undefined : renderPieces(reader, parts)
}

function* renderPieces(reader: Reader, { list, entry, fields = {} }: ListParts): Iterable<string> {
  yield `{\n  "${list}": [`
  let page = listAbilities(reader, { limit: PAGE_SIZE })
  for (let first = true; page.length > 0; first = false) {
    yield (first ? '' : ',') + page.map((ability) => `\n    ${formatIndented(entry(ability), 4)}`).join(',')
    page = listAbilities(reader, { after: page.at(-1)?.ability_id ?? '', limit: PAGE_SIZE })
  }
  yield '\n  ]'
  for (const [name, value] of Object.entries({ ...fields, schema_version: 1 })) {
    yield `,\n  "${name}": ${formatIndented(value, 2)}`
  }
  yield '\n}\n'
}

const formatIndented = (value: unknown, by: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(by)}`)
