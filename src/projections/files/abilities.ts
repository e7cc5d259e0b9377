import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { availabilityEntry, catalogEntry } from '../../domain/abilities/catalog.ts'
import { type AbilityRow, listAbilities } from '../../store/abilities/abilities.ts'
import { listAbilityCategories } from '../../store/abilities/abilities-categories.ts'
import { getAbilitySnapshot } from '../../store/abilities/abilities-snapshot.ts'
import type { Reader } from '../../store/db/db.ts'
import type { Changes } from '../engine/changes.ts'
import { documentProjection, type Projection, only } from '../engine/projection.ts'

const pageSize = 250
/** There may be very many abilities. */
const everyMs = 2000

const abilityKinds: readonly EventKind[] = [
  'ability.registered',
  'ability.changed',
  'ability.removed',
  'ability.snapshot.updated',
  'ability.refresh.requested',
]

const onAbilities = ({ kinds }: Changes) =>
  abilityKinds.some((kind) => kinds.has(kind)) ? [only] : []

/** Abilities with what only the daemon keeps of them, beside what is worked out from that. */
const registry = documentProjection({
  path: 'abilities/registry_current.json',
  everyMs,
  touched: onAbilities,
  render: (reader) =>
    document(reader, {
      list: 'abilities',
      entry: ({ usable_now: _u, reason_unusable: _r, checkpoint_health: _h, ...facts }) => ({
        ...facts,
        schema_version: 1,
      }),
    }),
})

const availability = documentProjection({
  path: 'abilities/availability_current.json',
  everyMs,
  touched: onAbilities,
  render: (reader) => {
    const { snapshot_as_of, latest_trigger_at, stale } = getAbilitySnapshot(reader)
    return document(reader, {
      list: 'abilities',
      entry: availabilityEntry,
      marks: { snapshot_as_of, _ec: { latest_trigger_at, stale } },
    })
  },
})

const catalog = documentProjection({
  path: 'abilities/catalog_current.json',
  everyMs,
  touched: (changes) => (changes.kinds.has('category.changed') ? [only] : onAbilities(changes)),
  render: (reader) => {
    const categories = listAbilityCategories(reader)
    return document(reader, {
      list: 'items',
      entry: (ability) => catalogEntry(ability, categories),
      marks: { refreshed_at: getAbilitySnapshot(reader).snapshot_as_of },
    })
  },
})

export const abilityMirrors: readonly Projection[] = [registry, availability, catalog]

interface ListParts {
  readonly list: string
  readonly entry: (ability: AbilityRow) => object
  /** What follows the list. */
  readonly marks?: object
}

/** The text any document has, but made in pieces. */
function document(reader: Reader, parts: ListParts): Iterable<string> | undefined {
  return listAbilities(reader, { limit: 1 }).length === 0 ? undefined : pieces(reader, parts)
}

function* pieces(reader: Reader, { list, entry, marks = {} }: ListParts): Iterable<string> {
  yield `{\n  "${list}": [`
  let page = listAbilities(reader, { limit: pageSize })
  for (let first = true; page.length > 0; first = false) {
    yield (
      (first ? '' : ',') + page.map((ability) => `\n    ${indented(entry(ability), 4)}`).join(',')
    )
    page = listAbilities(reader, { after: page.at(-1)?.ability_id ?? '', limit: pageSize })
  }
  yield '\n  ]'
  for (const [name, value] of Object.entries({ ...marks, schema_version: 1 })) {
    yield `,\n  "${name}": ${indented(value, 2)}`
  }
  yield '\n}\n'
}

const indented = (value: unknown, by: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(by)}`)
