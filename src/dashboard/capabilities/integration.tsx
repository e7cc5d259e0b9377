import { type BridgeEntry, getBridge, reprobeCapability } from '@apprentice/contracts/capabilities/capability.ts'
import type { z } from 'zod'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatName, t } from '../text/text.ts'

type Entry = z.output<typeof BridgeEntry>

/** The capabilities that agents of OpenClaw are routed to, and whether each works. */
export function Integration({ isAdmin }: { readonly isAdmin: boolean }) {
  const { data, failure, reload } = useResource('bridge', () => call(getBridge), {
    changesWith: ['bridge.', 'capability.', 'ability.'],
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={5} />
  const { bridge_state, built_at, entries } = data.value
  return (
    <section class="panel">
      <h2>{t.capabilities.bridge}</h2>
      <p class="hint">{t.capabilities.bridgeHint}</p>
      <Facts
        facts={[
          [t.capabilities.state, <StateBadge key="state" state={bridge_state} />],
          [t.capabilities.builtAt, <Time key="built" at={built_at} />],
          [t.capabilities.listed, String(entries.length)],
        ]}
      />
      {entries.length === 0 && (
        <Empty icon="book" title={t.capabilities.none}>
          <a href="/learn/new">{t.skills.teachOne}</a>
        </Empty>
      )}
      <ul class="rows capabilities">
        {entries.map((entry) => (
          <Row key={entry.capability_id} entry={entry} isAdmin={isAdmin} onProbed={reload} />
        ))}
      </ul>
    </section>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly isAdmin: boolean
  readonly onProbed: () => Promise<void>
}

function Row({ entry, isAdmin, onProbed }: RowProps) {
  const { capability_id, title, health_status, health_reason_code, requires_supervision, routing_eligible } = entry
  const probe = () =>
    attempt(async () => {
      const reply = await call(reprobeCapability, { body: { capability_id } })
      const { ok, reason_code = 'not_usable' } = reply.probe
      notify(
        ok ? t.capabilities.works(title) : t.capabilities.fails(title, formatName(reason_code)),
        ok ? 'good' : 'bad',
      )
    }, onProbed)
  return (
    <li class="panel">
      <strong translate={false}>{title}</strong>
      <StateBadge state={health_status} />
      {health_reason_code !== undefined && <small>{formatName(health_reason_code)}</small>}
      {requires_supervision && <small>{t.capabilities.supervised}</small>}
      {!routing_eligible && <small>{t.capabilities.notOffered}</small>}
      <span class="spacer" />
      {isAdmin && (
        <button type="button" aria-label={t.capabilities.probeOf(title)} onClick={() => void probe()}>
          {t.ability.probe}
        </button>
      )}
    </li>
  )
}
