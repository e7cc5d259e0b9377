import type { Category } from '@apprentice/contracts/admin/categories.ts'
import type { SkillCatalogEntry } from '@apprentice/contracts/abilities/ability.ts'
import { CategoryButton, readMenuPlace } from '../categories/category-button.tsx'
import { CategoryDot, type MenuPlace } from '../categories/category-menu.tsx'
import { Badge, Time } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'

interface SkillRowProps {
  readonly item: SkillCatalogEntry
  readonly categories: readonly Category[]
  readonly isSelected: boolean
  readonly onSelect: (isSelected: boolean) => void
  readonly onMenu: (place: MenuPlace) => void
}

/** One ability in the list. A right click, or the menu key, opens its categories. */
export function SkillRow({ item, categories, isSelected, onSelect, onMenu }: SkillRowProps) {
  const { ability_id, title, source, updated_at } = item
  return (
    <li class="panel" onContextMenu={(event) => onMenu(readMenuPlace(event))}>
      <input
        type="checkbox"
        aria-label={t.skills.select(title)}
        checked={isSelected}
        onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
      />
      <a href={`/skills/${encodeURIComponent(ability_id)}`}>
        <strong>{title}</strong>
      </a>
      <UsableBadge ability={item} />
      {categories.map(({ category_id, title: name, color }) => (
        <span key={category_id} class="category">
          <CategoryDot colour={color} /> {name}
        </span>
      ))}
      <span class="spacer" />
      <small>{formatName(source)}</small>
      <small>
        {t.skills.changedAt} <Time at={updated_at} />
      </small>
      <CategoryButton title={title} onMenu={onMenu} />
    </li>
  )
}

type Usability = Pick<SkillCatalogEntry, 'usable_now' | 'reason_unusable' | 'proven' | 'kind'>

export const UsableBadge = ({ ability }: { readonly ability: Usability }) => (
  <span class="badges">
    <Badge tone={ability.usable_now ? 'good' : 'bad'}>
      {ability.usable_now ? t.skills.usable : formatName(ability.reason_unusable ?? 'not_usable')}
    </Badge>
    {ability.proven === false && <Badge tone="busy">{t.skills.unproven}</Badge>}
    {ability.kind === 'guidance' && <Badge>{t.skills.guide}</Badge>}
  </span>
)
