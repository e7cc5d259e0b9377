import type {
  AdapterKind,
  ObservationAdapterStatus,
  RedactionMode,
} from '@apprentice/contracts/learn/observation.ts'
import type { ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { listAdapterRows, upsertAdapter, type AdapterRow } from '../../store/capture/adapters.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

interface AdapterFacts {
  readonly phase: 1 | 2 | 3
  readonly redaction: RedactionMode
  readonly data_class: string
  /** Fed by the daemon itself, so healthy as long as it runs. */
  readonly own: boolean
}

export const adapterFacts: Readonly<Record<AdapterKind, AdapterFacts>> = {
  browser_dom: adapter(1, 'browser_structure'),
  browser_snapshot: adapter(1, 'browser_snapshot'),
  mcp_receipt: adapter(1, 'connector_receipts', { own: true }),
  wrapper_receipt: adapter(1, 'script_receipts', { own: true }),
  terminal_command: adapter(1, 'terminal_commands'),
  process_launch: adapter(1, 'app_launches'),
  keyboard_shortcut: adapter(2, 'shortcuts'),
  file_dialog: adapter(2, 'file_selection'),
  midi: adapter(2, 'midi', { redaction: 'none' }),
  accessibility_ui: adapter(3, 'ui_structure'),
  mouse_click: adapter(3, 'clicks'),
  clipboard: adapter(3, 'clipboard_events', { redaction: 'hash_only' }),
  text_entry: adapter(3, 'text_entry'),
}

/** An adapter that has not been heard of for this long counts as unhealthy. */
const heartbeatLimitMs = 90_000

const defaultSets: Readonly<Record<ObservationMode, readonly AdapterKind[]>> = {
  none: [],
  inside_agent: ['mcp_receipt', 'wrapper_receipt', 'terminal_command', 'browser_snapshot'],
  outside_agent: ['browser_dom', 'browser_snapshot', 'process_launch', 'terminal_command'],
  mixed: [
    'mcp_receipt',
    'wrapper_receipt',
    'terminal_command',
    'browser_snapshot',
    'browser_dom',
    'process_launch',
  ],
}

export interface AdapterRules {
  /** The newest phase offered; later ones answer "not available". */
  readonly max_phase: 1 | 2 | 3
}

/** Which adapters a session arms now. Fails, and so leaves the session armed, when it can have none it needs. */
export function chooseAdapters(
  ctx: CommandContext,
  session: StoredSession,
  { requested, rules }: { requested?: readonly AdapterKind[] | undefined; rules: AdapterRules },
): AdapterKind[] {
  const healthy = healthyKinds(ctx.tx, ctx.now, rules)
  if (requested !== undefined && requested.length > 0) {
    for (const kind of requested) if (!healthy.has(kind)) throw unavailable(kind, rules)
    if (session.observation_mode === 'none') throw observationOff()
    return [...new Set(requested)]
  }
  if (session.observation_mode === 'none') return []
  const wanted = new Set(defaultSets[session.observation_mode])
  // A session bound to a device is fed by what passes through the daemon's own device lane.
  if (session.device_serial !== undefined) wanted.add('wrapper_receipt')
  const armed = [...wanted].filter((kind) => healthy.has(kind))
  if (armed.length === 0) {
    throw new Failure(
      'ADAPTER_UNAVAILABLE',
      `No adapter for ${session.observation_mode} is healthy; bind a device or start one of: ${[...wanted].join(', ')}.`,
    )
  }
  return armed
}

export function healthyKinds(reader: Reader, now: string, rules: AdapterRules): Set<AdapterKind> {
  return new Set(
    listAdapters(reader, now, rules)
      .filter((status) => status.enabled && status.healthy)
      .map((status) => status.kind),
  )
}

/** Every kind once at least: what reported itself, the daemon's own, and the kinds nobody offers yet. */
export function listAdapters(
  reader: Reader,
  now: string,
  rules: AdapterRules,
): ObservationAdapterStatus[] {
  const rows = listAdapterRows(reader)
  const reported = new Set(rows.map((row) => row.kind))
  const silent = (Object.keys(adapterFacts) as AdapterKind[])
    .filter((kind) => !reported.has(kind) || adapterFacts[kind].own)
    .map((kind) => silentAdapter(kind, rules))
  return [...rows.map((row) => reportedAdapter(row, now, rules)), ...silent].toSorted((a, b) =>
    a.adapter_id < b.adapter_id ? -1 : 1,
  )
}

export function recordHeartbeat(
  ctx: CommandContext,
  adapterId: string,
  {
    kind,
    healthy,
    last_error_code,
  }: { kind: AdapterKind; healthy: boolean; last_error_code?: string | undefined },
): AdapterRow {
  const row: AdapterRow = {
    adapter_id: adapterId,
    kind,
    enabled: true,
    healthy,
    last_seen_at: ctx.now,
    last_error_code,
  }
  upsertAdapter(ctx.tx, row)
  recordEvent(ctx, `adapter/${adapterId}`, 'learn.adapters.changed')
  return row
}

export function reportedAdapter(
  row: AdapterRow,
  now: string,
  rules: AdapterRules,
): ObservationAdapterStatus {
  const { phase } = adapterFacts[row.kind]
  const seen = row.last_seen_at === undefined ? 0 : Date.parse(row.last_seen_at)
  return {
    adapter_id: row.adapter_id,
    kind: row.kind,
    enabled: row.enabled && phase <= rules.max_phase,
    healthy: row.healthy && Date.parse(now) - seen <= heartbeatLimitMs,
    phase: `phase_${phase}`,
    ...(row.last_seen_at === undefined ? {} : { last_seen_at: row.last_seen_at }),
    ...(row.last_error_code === undefined ? {} : { last_error_code: row.last_error_code }),
    schema_version: 1,
  }
}

function silentAdapter(kind: AdapterKind, rules: AdapterRules): ObservationAdapterStatus {
  const { phase, own } = adapterFacts[kind]
  return {
    adapter_id: kind,
    kind,
    enabled: phase <= rules.max_phase,
    healthy: own,
    phase: `phase_${phase}`,
    schema_version: 1,
  }
}

function unavailable(kind: AdapterKind, rules: AdapterRules): Failure {
  const later = adapterFacts[kind].phase > rules.max_phase
  return new Failure(
    'ADAPTER_UNAVAILABLE',
    `The ${kind} adapter is ${later ? 'not available yet' : 'not healthy'}; wrapper_receipt or browser_dom may serve instead.`,
    { details: { adapter_kind: kind } },
  )
}

const observationOff = (): Failure =>
  new Failure(
    'INVALID_REQUEST',
    'requested_adapters: the session observes nothing (observation_mode none).',
    {
      details: { field: 'requested_adapters' },
    },
  )

function adapter(
  phase: 1 | 2 | 3,
  data_class: string,
  { redaction = 'mask_text', own = false }: { redaction?: RedactionMode; own?: boolean } = {},
): AdapterFacts {
  return { phase, redaction, data_class, own }
}
