import { setTimeout as pause } from 'node:timers/promises'
import { Option, type Command } from 'commander'
import type { Client } from '@apprentice/contracts/client.ts'
import {
  type AskFirstDecision,
  type AskFirstRecord,
  approveAskFirst,
  denyAskFirst,
  listAskFirst,
} from '@apprentice/contracts/connectors/ask-first.ts'
import { getConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

type ApproveOptions = ConnectionOptions & { readonly for: 'once' | 'turn' | 'session'; readonly reason?: string }
type DenyOptions = ConnectionOptions & { readonly reason?: string }

const WATCH_MS = 1000
/** How calls end that nobody approved. */
const NOT_MADE: readonly string[] = ['denied', 'cancelled', 'expired']

const DECISIONS = {
  once: 'approve_once',
  turn: 'approve_until_end_of_turn',
  session: 'approve_for_session',
} as const

export function addApprovalsCommand(program: Command): void {
  const approvals = program.command('approvals').description('calls of connector servers that wait for a decision')
  withConnection(approvals.command('list').description('list the calls that wait for a decision')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(approvals.command('watch').description('list the calls as they come and go, until Ctrl-C')).action(
    (options: ConnectionOptions) => reportFailures(() => watch(options)),
  )
  withConnection(approvals.command('approve <dispatchId>').description('approve a call; it is made at once'))
    .addOption(
      new Option('--for <scope>', 'also approve further calls of the tool')
        .choices(['once', 'turn', 'session'])
        .default('once'),
    )
    .option('--reason <text>', 'why; it is recorded')
    .action((dispatchId: string, options: ApproveOptions) => reportFailures(() => approve(dispatchId, options)))
  withConnection(approvals.command('deny <dispatchId>').description('deny a call; it is not made'))
    .option('--reason <text>', 'why; it is recorded')
    .action((dispatchId: string, options: DenyOptions) => reportFailures(() => deny(dispatchId, options)))
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listAskFirst)
  const rows = listed.dispatches.map((one) => [one.dispatch_id, one.status, one.expires_at, describe(one)])
  printResult(options, listed, () =>
    rows.length === 0 ? 'Nothing waits for a decision.' : formatTable([['CALL', 'STATE', 'UNTIL', 'WHAT'], ...rows]),
  )
}

/** Prints each call when it is asked about, and what became of it. */
async function watch(options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const states = new Map<string, ApprovalState>()
  process.stderr.write('Waiting for calls that need a decision. Ctrl-C ends this.\n')
  while (!stop.signal.aborted) {
    const { dispatches } = await call(listAskFirst)
    for (const change of [...(await listEnded(call, dispatches, states)), ...dispatches]) {
      if (states.get(change.dispatch_id)?.status === change.status) continue
      states.set(change.dispatch_id, change)
      process.stdout.write(`${options.json === true ? JSON.stringify(change) : formatState(change)}\n`)
    }
    await pause(WATCH_MS, undefined, { signal: stop.signal }).catch(() => undefined)
  }
}

type ApprovalState = Pick<AskFirstRecord, 'dispatch_id' | 'request_summary' | 'why_needed' | 'expires_at'> & {
  readonly status: string
}

/** Calls that waited and are not listed any more: somebody decided, or they were withdrawn. */
async function listEnded(
  call: Client,
  listed: readonly AskFirstRecord[],
  states: ReadonlyMap<string, ApprovalState>,
): Promise<ApprovalState[]> {
  const gone = [...states.values()].filter(
    ({ dispatch_id, status }) => status === 'pending' && listed.every((one) => one.dispatch_id !== dispatch_id),
  )
  return Promise.all(
    gone.map(async (state) => {
      const { status } = await call(getConnectorCall, { params: { dispatchId: state.dispatch_id } })
      return { ...state, status: NOT_MADE.includes(status) ? status : 'approved' }
    }),
  )
}

function formatState(state: ApprovalState): string {
  const until = state.status === 'pending' ? ` (until ${state.expires_at})` : ''
  return `${state.status.padEnd(9)} ${state.dispatch_id} ${describe(state)}${until}`
}

const describe = ({ request_summary, why_needed }: ApprovalState): string =>
  why_needed === undefined ? request_summary : `${request_summary} ${why_needed}`

async function approve(dispatchId: string, options: ApproveOptions): Promise<void> {
  const { reason } = options
  const body = { decision: DECISIONS[options.for], ...(reason === undefined ? {} : { reason }) }
  const decided = await connect(options)(approveAskFirst, { params: { dispatchId }, body })
  print(options, decided)
}

async function deny(dispatchId: string, options: DenyOptions): Promise<void> {
  const { reason } = options
  const body = { decision: 'deny' as const, ...(reason === undefined ? {} : { reason }) }
  print(options, await connect(options)(denyAskFirst, { params: { dispatchId }, body }))
}

const print = (options: ConnectionOptions, decided: AskFirstDecision): void =>
  printResult(options, decided, () => `${decided.dispatch.status}: ${decided.dispatch.request_summary}`)
