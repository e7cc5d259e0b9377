import type { AdapterKind, ObservationAdapterStatus, RedactionMode } from '@apprentice/contracts/learn/observation.ts'
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
  /** The daemon produces the events itself, so the adapter is always healthy. */
  readonly is_internal: boolean
}

export const ADAPTER_FACTS: Readonly<Record<AdapterKind, AdapterFacts>> = {
  browser_dom: defineAdapter(1, 'browser_structure'),
  browser_snapshot: defineAdapter(1, 'browser_snapshot'),
  mcp_receipt: defineAdapter(1, 'connector_receipts', { is_internal: true }),
  wrapper_receipt: defineAdapter(1, 'script_receipts', { is_internal: true }),
  terminal_command: defineAdapter(1, 'terminal_commands'),
  process_launch: defineAdapter(1, 'app_launches'),
  keyboard_shortcut: defineAdapter(2, 'shortcuts'),
  file_dialog: defineAdapter(2, 'file_selection'),
  midi: defineAdapter(2, 'midi', { redaction: 'none' }),
  accessibility_ui: defineAdapter(3, 'ui_structure'),
  mouse_click: defineAdapter(3, 'clicks'),
  clipboard: defineAdapter(3, 'clipboard_events', { redaction: 'hash_only' }),
  text_entry: defineAdapter(3, 'text_entry'),
}

/** An adapter without a heartbeat for this long is unhealthy. */
const HEARTBEAT_TIMEOUT_MS = 90_000

const DEFAULT_ADAPTERS: Readonly<Record<ObservationMode, readonly AdapterKind[]>> = {
  none: [],
  inside_agent: ['mcp_receipt', 'wrapper_receipt', 'terminal_command', 'browser_snapshot'],
  outside_agent: ['browser_dom', 'browser_snapshot', 'process_launch', 'terminal_command'],
  mixed: ['mcp_receipt', 'wrapper_receipt', 'terminal_command', 'browser_snapshot', 'browser_dom', 'process_launch'],
}

export interface AdapterRules {
  /** Adapters of a later phase are not available. */
  readonly max_phase: 1 | 2 | 3
}

/** The adapters a session arms now. Throws if a requested adapter, or every default adapter, is unhealthy. */
export function chooseAdapters(
  ctx: CommandContext,
  session: StoredSession,
  { requested, rules }: { requested?: readonly AdapterKind[] | undefined; rules: AdapterRules },
): AdapterKind[] {
  const healthy = listHealthyKinds(ctx.tx, ctx.now, rules)
  if (requested !== undefined && requested.length > 0) {
    for (const kind of requested) if (!healthy.has(kind)) throw adapterUnavailable(kind, rules)
    if (session.observation_mode === 'none') throw observationOff()
    return [...new Set(requested)]
  }
  if (session.observation_mode === 'none') return []
  const candidates = new Set(DEFAULT_ADAPTERS[session.observation_mode])
  // Executions on a device produce wrapper receipts.
  if (session.device_serial !== undefined) candidates.add('wrapper_receipt')
  const armed = [...candidates].filter((kind) => healthy.has(kind))
  if (armed.length === 0) {
    throw new Failure(
      'ADAPTER_UNAVAILABLE',
      `No adapter for ${session.observation_mode} is healthy; set device_serial or start one of: ${[...candidates].join(', ')}.`,
    )
  }
  return armed
}

export function listHealthyKinds(reader: Reader, now: string, rules: AdapterRules): Set<AdapterKind> {
  return new Set(
    listAdapters(reader, now, rules)
      .filter((status) => status.enabled && status.healthy)
      .map((status) => status.kind),
  )
}

/** Every reported adapter, plus a default status for internal kinds and for kinds that never reported. */
export function listAdapters(reader: Reader, now: string, rules: AdapterRules): ObservationAdapterStatus[] {
  const rows = listAdapterRows(reader)
  const reported = new Set(rows.map((row) => row.kind))
  const unreported = (Object.keys(ADAPTER_FACTS) as AdapterKind[])
    .filter((kind) => !reported.has(kind) || ADAPTER_FACTS[kind].is_internal)
    .map((kind) => toDefaultStatus(kind, rules))
  return [...rows.map((row) => toAdapterStatus(row, now, rules)), ...unreported].toSorted((a, b) =>
    a.adapter_id < b.adapter_id ? -1 : 1,
  )
}

export function recordHeartbeat(
  ctx: CommandContext,
  adapterId: string,
  { kind, healthy, last_error_code }: { kind: AdapterKind; healthy: boolean; last_error_code?: string | undefined },
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

export function toAdapterStatus(row: AdapterRow, now: string, rules: AdapterRules): ObservationAdapterStatus {
  const { phase } = ADAPTER_FACTS[row.kind]
  const seen = row.last_seen_at === undefined ? 0 : Date.parse(row.last_seen_at)
  return {
    adapter_id: row.adapter_id,
    kind: row.kind,
    enabled: row.enabled && phase <= rules.max_phase,
    healthy: row.healthy && Date.parse(now) - seen <= HEARTBEAT_TIMEOUT_MS,
    phase: `phase_${phase}`,
    ...(row.last_seen_at === undefined ? {} : { last_seen_at: row.last_seen_at }),
    ...(row.last_error_code === undefined ? {} : { last_error_code: row.last_error_code }),
    schema_version: 1,
  }
}

function toDefaultStatus(kind: AdapterKind, rules: AdapterRules): ObservationAdapterStatus {
  const { phase, is_internal } = ADAPTER_FACTS[kind]
  return {
    adapter_id: kind,
    kind,
    enabled: phase <= rules.max_phase,
    healthy: is_internal,
    phase: `phase_${phase}`,
    schema_version: 1,
  }
}

function adapterUnavailable(kind: AdapterKind, rules: AdapterRules): Failure {
  const later = ADAPTER_FACTS[kind].phase > rules.max_phase
  return new Failure(
    'ADAPTER_UNAVAILABLE',
    `The ${kind} adapter is ${later ? 'not available yet' : 'not healthy'}; request wrapper_receipt or browser_dom instead.`,
    { details: { adapter_kind: kind } },
  )
}

const observationOff = (): Failure =>
  new Failure('INVALID_REQUEST', 'requested_adapters must be empty for a session with observation_mode none.', {
    details: { field: 'requested_adapters' },
  })

function defineAdapter(
  phase: 1 | 2 | 3,
  data_class: string,
  { redaction = 'mask_text', is_internal = false }: { redaction?: RedactionMode; is_internal?: boolean } = {},
): AdapterFacts {
  return { phase, redaction, data_class, is_internal }
}
