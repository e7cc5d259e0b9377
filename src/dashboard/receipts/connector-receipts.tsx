import { useSignal } from '@preact/signals'
import {
  type ConnectorReceipt,
  ConnectorReceiptKind,
  listConnectorReceipts,
} from '@apprentice/contracts/connectors/receipts.ts'
import { useLocation } from 'preact-iso'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { CONNECTOR_POLL } from '../api/poll.ts'
import { useResource } from '../api/resource.ts'
import { useServers } from '../connectors/server-list.ts'
import { Empty, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { formatName, t } from '../text/text.ts'
import { ReceiptSheet } from './receipt-sheet.tsx'

const LIMIT = 30
const UUID_PATTERN = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

interface Filter {
  readonly server_id?: string
  readonly receipt_kind?: ConnectorReceiptKind
  readonly correlation_id?: string
}

type Names = ReadonlyMap<string, string>
/** Where all receipts are of one server, it is not named in each. */
const NO_NAMES: Names = new Map()

interface ConnectorReceiptsProps {
  /** Displays the receipts of one server, without its filter. */
  readonly serverId?: string
}

/** Every sign-in, test, decision and change of connectors, with the identity that was asserted. */
export function ConnectorReceipts({ serverId }: ConnectorReceiptsProps) {
  const { query } = useLocation()
  const asked = serverId ?? query['server_id']
  const filter = useSignal<Filter>(asked === undefined ? {} : { server_id: asked })
  const opened = useSignal<ConnectorReceipt | undefined>(undefined)
  const servers = useServers().data.value?.servers ?? []
  const names = new Map(servers.map(({ registry }) => [registry.server_id, registry.display_name]))
  return (
    <>
      <FilterBar filter={filter} names={names} isFixed={serverId !== undefined} />
      <Pages
        key={JSON.stringify(filter.value)}
        filter={filter.value}
        names={serverId === undefined ? names : NO_NAMES}
        isFixed={serverId !== undefined}
        onOpen={(receipt) => (opened.value = receipt)}
        onClear={() => (filter.value = serverId === undefined ? {} : { server_id: serverId })}
      />
      {opened.value !== undefined && (
        <ConnectorReceiptSheet receipt={opened.value} names={names} onClose={() => (opened.value = undefined)} />
      )}
    </>
  )
}

interface FilterBarProps {
  readonly filter: { value: Filter }
  readonly names: Names
  readonly isFixed: boolean
}

function FilterBar({ filter, names, isFixed }: FilterBarProps) {
  const { server_id, receipt_kind, correlation_id } = filter.value
  const change = (name: keyof Filter, value: string): void => {
    const { [name]: _, ...others } = filter.value
    filter.value = value === '' ? others : { ...others, [name]: value }
  }
  return (
    <div class="toolbar receipt-filter">
      {!isFixed && (
        <select
          aria-label={further.connectorReceipts.server}
          value={server_id ?? ''}
          onChange={({ currentTarget }) => change('server_id', currentTarget.value)}
        >
          <option value="">{further.connectorReceipts.allServers}</option>
          {[...new Set([...names.keys(), ...(server_id === undefined ? [] : [server_id])])].map((id) => (
            <option key={id} value={id} translate={false}>
              {names.get(id) ?? id}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label={further.connectorReceipts.kind}
        value={receipt_kind ?? ''}
        onChange={({ currentTarget }) => change('receipt_kind', currentTarget.value)}
      >
        <option value="">{further.connectorReceipts.allKinds}</option>
        {ConnectorReceiptKind.options.map((kind) => (
          <option key={kind} value={kind}>
            {further.connectorReceipts.kinds[kind]}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label={further.connectorReceipts.filterId}
        placeholder={further.connectorReceipts.filterId}
        pattern={UUID_PATTERN}
        value={correlation_id ?? ''}
        onChange={({ currentTarget }) =>
          currentTarget.reportValidity() && change('correlation_id', currentTarget.value.trim())
        }
      />
    </div>
  )
}

interface PagesProps {
  readonly filter: Filter
  readonly names: Names
  /** Whether the server is not a filter but given. */
  readonly isFixed: boolean
  readonly onOpen: (receipt: ConnectorReceipt) => void
  readonly onClear: () => void
}

function Pages({ filter, names, isFixed, onOpen, onClear }: PagesProps) {
  const older = useSignal<readonly ConnectorReceipt[]>([])
  const cursor = useSignal<string | undefined>(undefined)
  const { data, failure, reload } = useResource(
    'connector-receipts',
    () => call(listConnectorReceipts, { query: { ...filter, limit: LIMIT } }),
    CONNECTOR_POLL,
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const newest = data.value.receipts
  if (newest.length === 0) {
    const isFiltered = Object.keys(filter).some((name) => !isFixed || name !== 'server_id')
    return (
      <Empty icon="receipt" title={isFiltered ? further.connectorReceipts.noMatch : further.connectorReceipts.none}>
        {isFiltered && (
          <button type="button" onClick={onClear}>
            {further.connectorReceipts.clear}
          </button>
        )}
      </Empty>
    )
  }
  const known = new Set(newest.map(({ receipt_id }) => receipt_id))
  const next = older.value.length === 0 ? data.value.next_cursor : cursor.value
  const readOlder = () =>
    attempt(async () => {
      const page = await call(listConnectorReceipts, { query: { ...filter, limit: LIMIT, cursor: next } })
      older.value = [...older.value, ...page.receipts]
      cursor.value = page.next_cursor
    })
  return (
    <>
      <ul class="rows receipts">
        {[...newest, ...older.value.filter(({ receipt_id }) => !known.has(receipt_id))].map((receipt) => (
          <ConnectorReceiptRow key={receipt.receipt_id} receipt={receipt} names={names} onOpen={onOpen} />
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" onClick={() => void readOlder()}>
          {t.receipts.older}
        </button>
      )}
    </>
  )
}

interface RowProps {
  readonly receipt: ConnectorReceipt
  readonly names: Names
  readonly onOpen: (receipt: ConnectorReceipt) => void
}

function ConnectorReceiptRow({ receipt, names, onOpen }: RowProps) {
  const { receipt_kind, status, summary, created_at, server_id } = receipt
  return (
    <li>
      <button type="button" class="panel receipt-open" onClick={() => onOpen(receipt)}>
        <StateBadge state={status} />
        <strong>{further.connectorReceipts.kinds[receipt_kind]}</strong>
        <span class="receipt-summary">{say(summary)}</span>
        {server_id !== undefined && names.size > 0 && (
          <small translate={false}>{names.get(server_id) ?? server_id}</small>
        )}
        <Time at={created_at} />
      </button>
    </li>
  )
}

interface SheetProps {
  readonly receipt: ConnectorReceipt
  readonly names: Names
  readonly onClose: () => void
}

function ConnectorReceiptSheet({ receipt, names, onClose }: SheetProps) {
  const { server_id, identity_asserted_kind: kind } = receipt
  return (
    <ReceiptSheet
      title={further.connectorReceipts.kinds[receipt.receipt_kind]}
      state={receipt.status}
      at={receipt.created_at}
      summary={say(receipt.summary)}
      facts={{
        server: server_id === undefined ? undefined : (names.get(server_id) ?? server_id),
        identity_asserted_kind: kind === undefined ? undefined : further.connectorReceipts.identities[kind],
        identity_asserted_ref: receipt.identity_asserted_ref,
        auth_profile_id: receipt.auth_profile_id,
        correlation_id: receipt.correlation_id,
        receipt_id: receipt.receipt_id,
      }}
      onClose={onClose}
    >
      {server_id !== undefined && names.has(server_id) && (
        <a href={`/connectors/servers/${encodeURIComponent(server_id)}`}>
          {further.connectors.details}: {names.get(server_id)}
        </a>
      )}
      <p class="hint">{formatName(receipt.receipt_kind)}</p>
    </ReceiptSheet>
  )
}
