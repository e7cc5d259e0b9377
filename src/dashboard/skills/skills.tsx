import { useSignal } from '@preact/signals'
import type { z } from 'zod'
import { type AbilitySummary, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'

type Ability = z.infer<typeof AbilitySummary>

const FILTERS = {
  all: () => true,
  native: ({ source }: Ability) => source === 'native',
  imported: ({ source }: Ability) => source === 'imported',
  learned: ({ source }: Ability) => source === 'learned',
  promoted: ({ source }: Ability) => source === 'promoted',
  disabled: ({ enabled }: Ability) => !enabled,
  quarantined: ({ install_lane }: Ability) => install_lane === 'quarantined',
} as const
type FilterName = keyof typeof FILTERS

/** The installed abilities. Drafts are under Learn. */
export function Skills() {
  useTitle(t.nav.skills)
  const filter = useSignal<FilterName>('all')
  const words = useSignal('')
  const { data, failure, reload } = useResource('availability', () => call(listAvailability), {
    changesWith: ['ability.', 'learn.', 'skill.', 'bridge.', 'availability.'],
    pollMs: 15_000,
  })
  const abilities = data.value?.abilities ?? []
  const matching = abilities.filter(
    (ability) => FILTERS[filter.value](ability) && ability.title.toLowerCase().includes(words.value.toLowerCase()),
  )
  return (
    <>
      <h1>{t.nav.skills}</h1>
      <div class="toolbar">
        <input
          type="search"
          placeholder={t.skills.search}
          aria-label={t.skills.search}
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
        <div class="others" role="group" aria-label={t.skills.filter}>
          {(Object.keys(FILTERS) as FilterName[]).map((name) => (
            <button key={name} type="button" aria-pressed={filter.value === name} onClick={() => (filter.value = name)}>
              {t.skills.filters[name]}
            </button>
          ))}
        </div>
      </div>
      {data.value?.stale === true && (
        <p class="warning" role="status">
          {t.skills.refreshing}
        </p>
      )}
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton />}
      {data.value !== undefined && matching.length === 0 && <NoSkills isFiltered={abilities.length > 0} />}
      <ul class="rows abilities">
        {matching.map((ability) => (
          <Row key={ability.ability_id} ability={ability} />
        ))}
      </ul>
    </>
  )
}

const NoSkills = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty icon="search" title={t.skills.noMatch} />
  ) : (
    <Empty icon="book" title={t.skills.none}>
      <a class="button primary" href="/learn/new">
        {t.skills.teachOne}
      </a>
    </Empty>
  )

const Row = ({ ability }: { readonly ability: Ability }) => (
  <li class="panel">
    <a href={`/skills/${encodeURIComponent(ability.ability_id)}`}>
      <strong>{ability.title}</strong>
    </a>
    <UsableBadge ability={ability} />
    <small>{formatName(ability.source)}</small>
  </li>
)

type Usability = Pick<Ability, 'usable_now' | 'reason_unusable' | 'proven'>

export const UsableBadge = ({ ability: { usable_now, reason_unusable, proven } }: { readonly ability: Usability }) => (
  <span class="badges">
    <Badge tone={usable_now ? 'good' : 'bad'}>
      {usable_now ? t.skills.usable : formatName(reason_unusable ?? 'not_usable')}
    </Badge>
    {proven === false && <Badge tone="busy">{t.skills.unproven}</Badge>}
  </span>
)
