import type { Command } from 'commander'
import { type FeedEvent, streamEvents } from '@apprentice/contracts/admin/events.ts'
import { connect, type ConnectionOptions, reportFailures, withConnection } from './terminal/connection.ts'

type EventOptions = ConnectionOptions & {
  readonly follow?: boolean
  readonly all?: boolean
  readonly kind?: string
  readonly subject?: string
  readonly after?: string
}

export function addEventsCommand(program: Command): void {
  withConnection(program.command('events').description('print what happened, one event per line'))
    .option('--follow', 'go on with new events until Ctrl-C')
    .option('--all', 'the events of all users (requires an admin token)')
    .option('--kind <prefixes>', 'only kinds that begin with one of these, separated by commas')
    .option('--subject <subject>', 'only this subject, or with a slash at the end all that begin with it')
    .option('--after <seq>', 'only events after this number')
    .action((options: EventOptions) => reportFailures(() => printEvents(options)))
}

async function printEvents(options: EventOptions): Promise<void> {
  const { follow = false, all = false, kind, subject, after, json } = options
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  const stream = connect(options).stream(streamEvents, {
    query: { scope: all ? 'all' : 'own', kind, subject, follow: follow ? 'true' : 'false' },
    lastEventId: after,
    reconnect: follow,
    signal: abort.signal,
  })
  for await (const { data } of stream) {
    process.stdout.write(`${json === true ? JSON.stringify(data) : formatEvent(data)}\n`)
  }
}

const formatEvent = ({ seq, timestamp, event_kind, subject, user_id, payload }: FeedEvent): string =>
  [String(seq).padStart(6), timestamp, event_kind, subject, user_id ?? '-', JSON.stringify(payload)].join('  ')
