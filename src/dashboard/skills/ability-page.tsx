import { type AbilityDetail, getAvailability, getSkillText } from '@apprentice/contracts/abilities/availability.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { toImprove } from '../learn/shortcuts.ts'
import { formatQuoted } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { formatName, t } from '../text/text.ts'
import { AbilitySettings } from './ability-settings.tsx'
import { Guidance } from './guidance.tsx'
import { RunForm } from './run-form.tsx'
import { RunList } from './run-list.tsx'
import { UsableBadge } from './skill-row.tsx'
import { VersionList } from './version-list.tsx'

type Tab = 'run' | 'runs' | 'read' | 'versions' | 'words' | 'settings'
const RUNNABLE_TABS: readonly Tab[] = ['run', 'runs', 'versions', 'words', 'settings']
const GUIDANCE_TABS: readonly Tab[] = ['read', 'versions', 'settings']

/** One ability: run or read it, see its runs, versions and words, change its state. */
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
      <div class="title-row">
        <h1>{ability.title}</h1>
        {ability.kind !== 'guidance' && (
          <a class="button" href={toImprove(abilityId)}>
            <Icon name="pencil" /> {t.shortcuts.improve}
          </a>
        )}
      </div>
      <p class="badges">
        <UsableBadge ability={ability} />
        <small>
          {t.ability.version(ability.current_version)} · {formatName(ability.source)}
        </small>
      </p>
      {ability.reason_unproven !== undefined && <p class="hint">{ability.reason_unproven}</p>}
      <Phrases label={t.ability.usedFor} phrases={ability.trigger_phrases} />
      <Phrases label={t.ability.notUsedFor} phrases={ability.negative_triggers} />
      <Tabs
        label={ability.title}
        names={tabs}
        open={open}
        toHref={(name) => (name === first ? base : `${base}/${name}`)}
        toLabel={(name) => t.ability.tabs[name]}
      />
      <TabBody tab={open} ability={ability} reload={reload} />
    </article>
  )
}

const Phrases = ({ label, phrases }: { readonly label: string; readonly phrases: readonly string[] }) =>
  phrases.length === 0 ? null : (
    <p class="hint">
      {label} {phrases.map(formatQuoted).join(', ')}
    </p>
  )

interface TabBodyProps {
  readonly tab: Tab
  readonly ability: AbilityDetail
  readonly reload: () => Promise<void>
}

function TabBody({ tab, ability, reload }: TabBodyProps) {
  if (tab === 'runs') return <RunList abilityId={ability.ability_id} />
  if (tab === 'versions') return <VersionList abilityId={ability.ability_id} onChanged={reload} />
  if (tab === 'words') return <Words abilityId={ability.ability_id} version={ability.current_version} />
  if (tab === 'settings') return <AbilitySettings ability={ability} onChanged={reload} />
  if (tab === 'read') return <Guidance abilityId={ability.ability_id} />
  return <RunForm ability={ability} />
}

/** SKILL.md as agents read it. */
function Words({ abilityId, version }: { readonly abilityId: string; readonly version: number }) {
  const { data, failure, reload } = useResource(`${abilityId}/words/${version}`, () =>
    call(getSkillText, { params: { abilityId } }),
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={6} />
  return (
    <section class="panel words">
      <Markdown source={data.value} under={1} />
    </section>
  )
}
