import { type AbilityDetail, getAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { formatName, t } from '../text/text.ts'
import { AbilitySettings } from './ability-settings.tsx'
import { Guidance } from './guidance.tsx'
import { RunForm } from './run-form.tsx'
import { RunList } from './run-list.tsx'
import { UsableBadge } from './skills.tsx'
import { VersionList } from './version-list.tsx'

type Tab = 'run' | 'runs' | 'read' | 'versions' | 'settings'
const RUNNABLE_TABS: readonly Tab[] = ['run', 'runs', 'versions', 'settings']
const GUIDANCE_TABS: readonly Tab[] = ['read', 'versions', 'settings']

/** One ability: run or read it, see its runs and versions, change its state. */
export function AbilityPage({ id = '', tab }: { readonly id?: string; readonly tab?: string }) {
  const abilityId = decodeURIComponent(id)
  const { data, failure, reload } = useResource(abilityId, () => call(getAvailability, { params: { abilityId } }), {
    changesWith: ['ability.', 'learn.', 'availability.'],
    pollMs: 15_000,
  })
  useTitle(data.value?.title ?? t.nav.skills)
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  const ability = data.value
  if (ability === undefined) return <Skeleton rows={5} />
  const [tabs, first] =
    ability.kind === 'guidance' ? ([GUIDANCE_TABS, 'read'] as const) : ([RUNNABLE_TABS, 'run'] as const)
  const open = tabs.find((name) => name === tab) ?? first
  const base = `/skills/${encodeURIComponent(abilityId)}`
  return (
    <article class="ability">
      <p class="crumbs">
        <a href="/skills">{t.nav.skills}</a>
      </p>
      <h1>{ability.title}</h1>
      <UsableBadge ability={ability} />
      {ability.reason_unproven !== undefined && <p class="hint">{ability.reason_unproven}</p>}
      <p class="hint">
        {t.ability.version(ability.current_version)} · {formatName(ability.source)}
        {ability.trigger_phrases.length > 0 && ` · “${ability.trigger_phrases.join('”, “')}”`}
      </p>
      <nav class="tabs" aria-label={ability.title}>
        {tabs.map((name) => (
          <a
            key={name}
            href={name === first ? base : `${base}/${name}`}
            aria-current={name === open ? 'page' : undefined}
          >
            {t.ability.tabs[name]}
          </a>
        ))}
      </nav>
      <TabBody tab={open} ability={ability} reload={reload} />
    </article>
  )
}

interface TabBodyProps {
  readonly tab: Tab
  readonly ability: AbilityDetail
  readonly reload: () => Promise<void>
}

function TabBody({ tab, ability, reload }: TabBodyProps) {
  if (tab === 'runs') return <RunList abilityId={ability.ability_id} />
  if (tab === 'versions') return <VersionList abilityId={ability.ability_id} onChanged={reload} />
  if (tab === 'settings') return <AbilitySettings ability={ability} onChanged={reload} />
  if (tab === 'read') return <Guidance abilityId={ability.ability_id} />
  return <RunForm ability={ability} />
}
