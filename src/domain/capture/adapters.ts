import type { AdapterKind, ObservationAdapterStatus, RedactionMode } from '@apprentice/contracts/learn/observation.ts'
import type { ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { listAdapterRows, upsertAdapter, type AdapterRow } from '../../store/capture/adapters.ts'
import { hasUsableServer } from '../../store/connectors/servers.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

interface AdapterFacts {
  readonly phase: 1 | 2 | 3
  readonly redaction: RedactionMode
  readonly data_class: string
  /** Where the daemon itself gets the events from. The adapter is then healthy if there is such a source. */
  readonly source?: 'devices' | 'connectors' | undefined
  /** The program that has to report, if it is not simply one that reports as this adapter. */
  readonly reporter?: string | undefined
}

export const ADAPTER_FACTS: Readonly<Record<AdapterKind, AdapterFacts>> = {
  browser_dom: defineAdapter(1, 'browser_structure', { reporter: 'a browser extension' }),
  browser_snapshot: defineAdapter(1, 'browser_snapshot'),
  mcp_receipt: defineAdapter(1, 'connector_receipts', { source: 'connectors' }),
  wrapper_receipt: defineAdapter(1, 'script_receipts', { source: 'devices' }),
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
    for (const kind of requested) if (!healthy.has(kind)) throw adapterUnavailable(ctx, kind, rules)
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

/** Without the adapters that the daemon feeds itself and has no source for now: nobody can start those. */
export function dropSourceless(ctx: CommandContext, kinds: readonly AdapterKind[], rules: AdapterRules): AdapterKind[] {
  const healthy = listHealthyKinds(ctx.tx, ctx.now, rules)
  return kinds.filter((kind) => healthy.has(kind) || ADAPTER_FACTS[kind].source === undefined)
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
  const hasConnectors = hasUsableServer(reader)
  const reported = new Set(rows.map((row) => row.kind))
  const unreported = (Object.keys(ADAPTER_FACTS) as AdapterKind[])
    .filter((kind) => !reported.has(kind) || ADAPTER_FACTS[kind].source !== undefined)
    .map((kind) => toDefaultStatus(kind, rules, hasConnectors))
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
  const isRecent = Date.parse(now) - seen <= HEARTBEAT_TIMEOUT_MS
  const reason = isRecent ? describeReported(row) : `Its last heartbeat is older than ${HEARTBEAT_TIMEOUT_MS / 1000} s.`
  return {
    adapter_id: row.adapter_id,
    kind: row.kind,
    enabled: row.enabled && phase <= rules.max_phase,
    healthy: row.healthy && isRecent,
    phase: `phase_${phase}`,
    ...(row.last_seen_at === undefined ? {} : { last_seen_at: row.last_seen_at }),
    ...(row.last_error_code === undefined ? {} : { last_error_code: row.last_error_code }),
    ...toReason(phase > rules.max_phase ? describePhase(phase) : reason),
    schema_version: 1,
  }
}

function toDefaultStatus(kind: AdapterKind, rules: AdapterRules, hasConnectors: boolean): ObservationAdapterStatus {
  const { phase, source } = ADAPTER_FACTS[kind]
  const lacksServer = source === 'connectors' && !hasConnectors
  const reason = lacksServer ? 'No connector server is enabled.' : describeUnreported(kind)
  return {
    adapter_id: kind,
    kind,
    enabled: phase <= rules.max_phase,
    healthy: source !== undefined && !lacksServer,
    phase: `phase_${phase}`,
    ...(lacksServer ? { last_error_code: 'no_connector_server' } : {}),
    ...toReason(phase > rules.max_phase ? describePhase(phase) : reason),
    schema_version: 1,
  }
}

function describeUnreported(kind: AdapterKind): string | undefined {
  const { source, reporter = 'a program' } = ADAPTER_FACTS[kind]
  if (source !== undefined) return undefined
  return `The daemon does not observe this itself: ${reporter} has to report as ${kind}, and none does.`
}

const toReason = (reason: string | undefined) => (reason === undefined ? {} : { reason })

const describePhase = (phase: number): string => `It belongs to phase ${phase}, which the settings do not enable.`

function describeReported({ enabled, healthy, last_error_code }: AdapterRow): string | undefined {
  if (!enabled) return 'It is switched off.'
  return healthy
    ? undefined
    : `It reports that it is not healthy${last_error_code === undefined ? '' : `: ${last_error_code}`}.`
}

/** Says what is missing. Other programs that report as the same kind may have other reasons; the first counts. */
function adapterUnavailable({ tx, now }: CommandContext, kind: AdapterKind, rules: AdapterRules): Failure {
  const reason = listAdapters(tx, now, rules).find((status) => status.kind === kind)?.reason ?? 'It is not healthy.'
  const others = ['wrapper_receipt', 'browser_dom'].filter((other) => other !== kind).join(' or ')
  const text = `The ${kind} adapter is not available. ${reason} Request ${others} instead.`
  return new Failure('ADAPTER_UNAVAILABLE', text.slice(0, 240), { details: { adapter_kind: kind, reason } })
}

const observationOff = (): Failure =>
  new Failure('INVALID_REQUEST', 'requested_adapters must be empty for a session with observation_mode none.', {
    details: { field: 'requested_adapters' },
  })

function defineAdapter(
  phase: 1 | 2 | 3,
  data_class: string,
  { redaction = 'mask_text', source, reporter }: Partial<Pick<AdapterFacts, 'redaction' | 'source' | 'reporter'>> = {},
): AdapterFacts {
  return { phase, redaction, data_class, source, reporter }
}
