import { getRunFigures, listOwnRuns } from '@apprentice/contracts/abilities/run-figures.ts'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { getReadiness } from '@apprentice/contracts/admin/health.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { AutomationHealth } from '../capabilities/automation-health.tsx'
import { AwarenessCard } from '../capabilities/awareness-card.tsx'
import { useServers } from '../connectors/server-list.ts'
import { activeSessions } from '../learn/current-session.ts'
import { Badge, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { sayFailure } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'
import { FirstSteps } from './first-steps.tsx'
import { RunChart } from './run-chart.tsx'
import { waiting } from './waiting.ts'

const LISTED = 8
const DAYS = 14

/** The titles of abilities by their id. */
type Titles = ReadonlyMap<string, string>

/** What waits for the person, what runs, what failed, how runs ended lately, and the health of the parts. */
export function Overview() {
  useTitle(t.nav.overview)
  const { data, failure, reload } = useResource('availability', () => call(listAvailability), {
    changesWith: ['ability.', 'learn.'],
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  const titles = new Map((data.value?.abilities ?? []).map(({ ability_id, title }) => [ability_id, title]))
  return (
    <>
      <h1>{t.nav.overview}</h1>
      {data.value !== undefined && <FirstSteps hasAbility={titles.size > 0} />}
      <div class="grid overview">
        <Waiting />
        <Running titles={titles} />
        <Figures />
        <Failed titles={titles} />
        <Health />
        <AwarenessCard />
      </div>
    </>
  )
}

function Waiting() {
  const items = waiting.value
  return (
    <section class="panel">
      <h2>{t.overview.waiting}</h2>
      {items === undefined && <Skeleton />}
      {items?.length === 0 && <p class="hint">{t.overview.nothingWaits}</p>}
      <ul class="plain waits">
        {items?.slice(0, LISTED).map(({ key, href, title, kind, at }) => (
          <li key={key}>
            <Badge tone="busy">{kind}</Badge> <a href={href}>{title}</a> <Time at={at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Running({ titles }: { readonly titles: Titles }) {
  const read = () =>
    Promise.all((['running', 'queued'] as const).map((state) => call(listOwnRuns, { query: { state } })))
  const { data } = useResource('running', read, { changesWith: ['ability.run.', 'execution.'] })
  const runs = (data.value ?? []).flatMap((page) => page.runs)
  const sessions = activeSessions.value
  return (
    <section class="panel">
      <h2>{t.overview.running}</h2>
      {sessions.length + runs.length === 0 && <p class="hint">{t.overview.nothingRuns}</p>}
      <ul class="plain">
        {sessions.map(({ learn_session_id, title, entry_mode, state }) => (
          <li key={learn_session_id}>
            <a href={`/learn/active/${learn_session_id}`}>{title ?? t.learn.modes[entry_mode]}</a>{' '}
            <StateBadge state={state} />
          </li>
        ))}
        {runs.map(({ run_id, ability_id, state, created_at }) => (
          <li key={run_id}>
            <a href={`/runs/${run_id}`}>{titles.get(ability_id) ?? ability_id}</a> <StateBadge state={state} />{' '}
            <Time at={created_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Figures() {
  const query = { days: DAYS, utc_offset_minutes: -new Date().getTimezoneOffset() }
  const { data } = useResource('figures', () => call(getRunFigures, { query }), { changesWith: ['ability.run.'] })
  return (
    <section class="panel broad">
      <h2>{t.overview.runs}</h2>
      {data.value === undefined ? <Skeleton /> : <RunChart figures={data.value} />}
    </section>
  )
}

function Failed({ titles }: { readonly titles: Titles }) {
  const query = { state: 'failed', page_size: 5 } as const
  const { data } = useResource('failed', () => call(listOwnRuns, { query }), { changesWith: ['ability.run.'] })
  return (
    <section class="panel">
      <h2>{t.overview.failed}</h2>
      {data.value?.runs.length === 0 && <p class="hint">{t.overview.nothingFailed}</p>}
      <ul class="plain">
        {data.value?.runs.map(({ run_id, ability_id, trouble, created_at }) => (
          <li key={run_id}>
            <a href={`/runs/${run_id}`}>{titles.get(ability_id) ?? ability_id}</a> <Time at={created_at} />
            {trouble !== undefined && <small class="why">{t.run.troubles[trouble.code] ?? sayFailure(trouble)}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Health() {
  const devices = useResource('devices', () => call(listDevices), { pollMs: 10_000 }).data.value?.devices ?? []
  const { status: _, ...parts } =
    useResource('readiness', () => call(getReadiness), { pollMs: 10_000 }).data.value ?? {}
  const servers = (useServers().data.value?.servers ?? []).filter((server) => !server.deferred_design_only)
  return (
    <section class="panel">
      <h2>{t.overview.health}</h2>
      <ul class="plain">
        {devices.map((device) => (
          <li key={device.serial}>
            <a href={`/devices/${encodeURIComponent(device.serial)}`}>{nameDevice(device)}</a>{' '}
            <StateBadge state={device.state} />
          </li>
        ))}
        <AutomationHealth />
        {servers.map(({ registry: { server_id, display_name, enabled }, health }) => (
          <li key={server_id}>
            <a href={`/connectors/servers/${encodeURIComponent(server_id)}`} translate={false}>
              {display_name}
            </a>{' '}
            <StateBadge state={enabled ? health.health_status : 'disabled'} />
          </li>
        ))}
        {Object.entries(parts).map(([name, { status, detail }]) => (
          <li key={name}>
            {formatName(name)} <StateBadge state={status} /> {detail !== undefined && <small>{detail}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}
