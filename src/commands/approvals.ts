import { Option, type Command } from 'commander'
import {
  type AskFirstDecision,
  type AskFirstRecord,
  approveAskFirst,
  denyAskFirst,
  listAskFirst,
} from '@apprentice/contracts/connectors/ask-first.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

type ApproveOptions = ConnectionOptions & { readonly for: 'once' | 'turn' | 'session'; readonly reason?: string }
type DenyOptions = ConnectionOptions & { readonly reason?: string }

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

const describe = ({ request_summary, why_needed }: AskFirstRecord): string =>
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
