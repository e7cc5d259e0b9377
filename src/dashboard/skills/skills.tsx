import { useSignal } from '@preact/signals'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import type { SkillCatalogEntry } from '@apprentice/contracts/abilities/ability.ts'
import { getCatalog, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { useCategories } from '../categories/category-list.ts'
import { CategoryMenu, type MenuPlace } from '../categories/category-menu.tsx'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { t } from '../text/text.ts'
import { BulkBar } from './bulk-bar.tsx'
import { searchSkills, type SkillSearch } from './skill-filters.ts'
import { SkillRow } from './skill-row.tsx'
import { SkillTabs } from './skill-tabs.tsx'
import { SkillToolbar } from './skill-toolbar.tsx'

/** The kind under which the catalog looks up the categories of abilities. */
const ITEM_KIND = 'learned_ability'
const EVERYTHING: SkillSearch = { words: '', filter: 'all', sort: 'title', category: '' }

/** The installed abilities. Drafts are under Learn. */
export function Skills() {
  useTitle(t.nav.skills)
  const search = useSignal(EVERYTHING)
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const menu = useSignal<{ readonly ids: readonly string[]; readonly place: MenuPlace } | undefined>(undefined)
  const categories = useCategories()
  const { data, failure, reload } = useResource(
    'catalog',
    () => Promise.all([call(getCatalog), call(listAvailability)]),
    { changesWith: ['ability.', 'learn.', 'skill.', 'bridge.', 'availability.'], pollMs: 15_000 },
  )
  const [catalog, availability] = data.value ?? []
  const items = catalog?.items ?? []
  const found = searchSkills(items, search.value)
  const known = categories.data.value?.categories ?? []
  const chosen = found.filter(({ ability_id }) => selected.value.has(ability_id))
  const select = (id: string, isSelected: boolean): void => {
    const others = [...selected.value].filter((one) => one !== id)
    selected.value = new Set(isSelected ? [...others, id] : others)
  }
  const openMenu = (ids: readonly string[], place: MenuPlace): void => {
    menu.value = { ids, place }
  }
  const openedMenu = menu.value
  return (
    <>
      <h1>{t.nav.skills}</h1>
      <SkillTabs open="installed" />
      {items.length > 0 && <SkillToolbar search={search} categories={known} />}
      {availability?.stale === true && (
        <p class="warning" role="status">
          {t.skills.refreshing}
        </p>
      )}
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {catalog === undefined && failure.value === undefined && <Skeleton />}
      {catalog !== undefined && found.length === 0 && (
        <NoSkills isFiltered={items.length > 0} onShowAll={() => (search.value = EVERYTHING)} />
      )}
      {chosen.length > 0 && (
        <BulkBar
          abilities={chosen}
          onCategories={(place) => openMenu([...selected.value], place)}
          onClear={() => (selected.value = new Set())}
          onChanged={reload}
        />
      )}
      <SkillList
        items={found}
        categories={known}
        selected={selected.value}
        onSelect={select}
        onMenu={(id, place) => openMenu(selected.value.has(id) ? [...selected.value] : [id], place)}
      />
      {openedMenu !== undefined && (
        <CategoryMenu
          key={openedMenu}
          items={items.flatMap(({ ability_id, category_ids }) =>
            openedMenu.ids.includes(ability_id) ? [{ kind: ITEM_KIND, id: ability_id, category_ids }] : [],
          )}
          categories={known}
          place={openedMenu.place}
          onChanged={() => Promise.all([reload(), categories.reload()])}
          // The event arrives after the menu was hidden: another menu may have been opened meanwhile.
          onClose={() => {
            if (menu.value === openedMenu) menu.value = undefined
          }}
        />
      )}
    </>
  )
}

interface SkillListProps {
  readonly items: readonly SkillCatalogEntry[]
  readonly categories: readonly Category[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (id: string, isSelected: boolean) => void
  readonly onMenu: (id: string, place: MenuPlace) => void
}

const SkillList = ({ items, categories, selected, onSelect, onMenu }: SkillListProps) => (
  <ul class="rows abilities">
    {items.map((item) => (
      <SkillRow
        key={item.ability_id}
        item={item}
        categories={categories.filter(({ category_id }) => item.category_ids.includes(category_id))}
        isSelected={selected.has(item.ability_id)}
        onSelect={(isSelected) => onSelect(item.ability_id, isSelected)}
        onMenu={(place) => onMenu(item.ability_id, place)}
      />
    ))}
  </ul>
)

const NoSkills = ({ isFiltered, onShowAll }: { readonly isFiltered: boolean; readonly onShowAll: () => void }) =>
  isFiltered ? (
    <Empty icon="search" title={t.skills.noMatch}>
      <button type="button" onClick={onShowAll}>
        {t.skills.showAll}
      </button>
    </Empty>
  ) : (
    <Empty icon="book" title={t.skills.none}>
      <a class="button primary" href="/learn/new">
        {t.skills.teachOne}
      </a>
    </Empty>
  )
