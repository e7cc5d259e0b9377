import type { Signal } from '@preact/signals'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { t } from '../text/text.ts'
import { FILTER_NAMES, SORT_NAMES, type SkillSearch, type SortName } from './skill-filters.ts'

interface SkillToolbarProps {
  readonly search: Signal<SkillSearch>
  readonly categories: readonly Category[]
}

export function SkillToolbar({ search, categories }: SkillToolbarProps) {
  const change = (part: Partial<SkillSearch>): void => {
    search.value = { ...search.value, ...part }
  }
  const { words, filter, sort, category } = search.value
  return (
    <div class="toolbar">
      <input
        type="search"
        placeholder={t.skills.search}
        aria-label={t.skills.search}
        value={words}
        onInput={({ currentTarget }) => change({ words: currentTarget.value })}
      />
      <div class="others" role="group" aria-label={t.skills.filter}>
        {FILTER_NAMES.map((name) => (
          <button key={name} type="button" aria-pressed={filter === name} onClick={() => change({ filter: name })}>
            {t.skills.filters[name]}
          </button>
        ))}
      </div>
      {categories.length > 0 && (
        <select
          aria-label={t.skills.category}
          value={category}
          onChange={({ currentTarget }) => change({ category: currentTarget.value })}
        >
          <option value="">{t.skills.allCategories}</option>
          {categories.map(({ category_id, title }) => (
            <option key={category_id} value={category_id}>
              {title}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label={t.skills.sort}
        value={sort}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value as SortName })}
      >
        {SORT_NAMES.map((name) => (
          <option key={name} value={name}>
            {`${t.skills.sort}: ${t.skills.sorts[name]}`}
          </option>
        ))}
      </select>
    </div>
  )
}
