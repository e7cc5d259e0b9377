import { listUseReceipts } from '@apprentice/contracts/abilities/runs.ts'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { getReadiness } from '@apprentice/contracts/admin/health.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { activeSessions } from '../learn/current-session.ts'
import { Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { nameDevice } from '../phone/phone.tsx'
import { formatName, t } from '../text/text.ts'
import { RunChart } from './run-chart.tsx'

const WAITING_STATES = new Set(['awaiting_questions', 'draft', 'ready_for_review'])
const LISTED = 8

/** What waits for the person, what runs, how runs ended lately, and the health of the parts. */
export function Overview() {
  useTitle(t.nav.overview)
  const abilities = useResource('availability', () => call(listAvailability), { changesWith: ['ability.', 'learn.'] })
  if (abilities.data.value === undefined) return <Skeleton rows={6} />
  return (
    <>
      <h1>{t.nav.overview}</h1>
      {abilities.data.value.abilities.length === 0 && <FirstSteps />}
      <div class="grid">
        <Waiting />
        <Running />
        <Runs />
        <Health />
      </div>
    </>
  )
}

/** An empty home says what to do first. */
const FirstSteps = () => (
  <section class="panel first-steps">
    <h2>{t.overview.firstSteps}</h2>
    <ol>
      <li>
        <a href="/devices">{t.overview.takePhone}</a>
      </li>
      <li>
        <a href="/learn/new">{t.overview.teach}</a>
      </li>
      <li>{t.overview.runIt}</li>
    </ol>
  </section>
)

function Waiting() {
  const { data } = useResource('proposals', () => call(listProposals, { query: { page_size: 100 } }), {
    changesWith: ['learn.'],
  })
  const waiting = (data.value?.proposals ?? []).filter(({ proposal_state }) => WAITING_STATES.has(proposal_state))
  return (
    <section class="panel">
      <h2>{t.overview.waiting}</h2>
      {waiting.length === 0 && <p class="hint">{t.overview.nothingWaits}</p>}
      <ul class="plain">
        {waiting.slice(0, LISTED).map(({ proposal_id, title, proposal_state, updated_at }) => (
          <li key={proposal_id}>
            <a href={`/learn/pending/${proposal_id}`}>{title}</a> <StateBadge state={proposal_state} />{' '}
            <Time at={updated_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Running() {
  return (
    <section class="panel">
      <h2>{t.overview.running}</h2>
      {activeSessions.value.length === 0 && <p class="hint">{t.overview.nothingRuns}</p>}
      <ul class="plain">
        {activeSessions.value.map(({ learn_session_id, title, entry_mode, state }) => (
          <li key={learn_session_id}>
            <a href={`/learn/active/${learn_session_id}`}>{title ?? t.learn.modes[entry_mode]}</a>{' '}
            <StateBadge state={state} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Runs() {
  const { data } = useResource('receipts', () => call(listUseReceipts, { query: { limit: 100 } }), {
    changesWith: ['ability.', 'capability.'],
  })
  const receipts = data.value?.receipts ?? []
  const failed = receipts.filter(({ result }) => result === 'failure').slice(0, 3)
  return (
    <section class="panel">
      <h2>{t.overview.runs}</h2>
      <RunChart receipts={receipts} />
      {failed.length > 0 && (
        <ul class="plain">
          {failed.map(({ receipt_id, capability_id, summary, created_at }) => (
            <li key={receipt_id}>
              <Icon name="failed" /> {summary ?? capability_id} <Time at={created_at} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Health() {
  const devices = useResource('devices', () => call(listDevices), { pollMs: 10_000 }).data.value?.devices ?? []
  const { status: _, ...parts } =
    useResource('readiness', () => call(getReadiness), { pollMs: 10_000 }).data.value ?? {}
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
        {Object.entries(parts).map(([name, { status, detail }]) => (
          <li key={name}>
            {formatName(name)} <StateBadge state={status} /> {detail !== undefined && <small>{detail}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}
