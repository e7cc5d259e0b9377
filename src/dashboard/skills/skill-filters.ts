import type { SkillCatalogEntry } from '@apprentice/contracts/abilities/ability.ts'

export const FILTERS = {
  all: () => true,
  native: ({ source }: SkillCatalogEntry) => source === 'native',
  imported: ({ source }: SkillCatalogEntry) => source === 'imported',
  learned: ({ source }: SkillCatalogEntry) => source === 'learned' || source === 'promoted',
  bundle: ({ kind }: SkillCatalogEntry) => kind === 'guidance',
  disabled: ({ enabled }: SkillCatalogEntry) => !enabled,
  quarantined: ({ install_lane }: SkillCatalogEntry) => install_lane === 'quarantined',
} as const
export type FilterName = keyof typeof FILTERS
export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

type Order = (a: SkillCatalogEntry, b: SkillCatalogEntry) => number
const byTitle: Order = (a, b) => a.title.localeCompare(b.title)

export const SORTS = {
  title: byTitle,
  updated: (a: SkillCatalogEntry, b: SkillCatalogEntry) => b.updated_at.localeCompare(a.updated_at),
  usable: (a: SkillCatalogEntry, b: SkillCatalogEntry) => Number(b.usable_now) - Number(a.usable_now) || byTitle(a, b),
} as const
export type SortName = keyof typeof SORTS
export const SORT_NAMES = Object.keys(SORTS) as SortName[]

export interface SkillSearch {
  readonly words: string
  readonly filter: FilterName
  readonly sort: SortName
  /** A category id, or empty for all. */
  readonly category: string
}

/** Every word must occur in the title, the family or a tag. */
export function searchSkills(items: readonly SkillCatalogEntry[], search: SkillSearch): readonly SkillCatalogEntry[] {
  const words = search.words.toLowerCase().split(/\s+/).filter(Boolean)
  return items
    .filter((item) => {
      const text = [item.title, item.family, item.ability_id, ...item.tags].join(' ').toLowerCase()
      return (
        FILTERS[search.filter](item) &&
        (search.category === '' || item.category_ids.includes(search.category)) &&
        words.every((word) => text.includes(word))
      )
    })
    .toSorted(SORTS[search.sort])
}
