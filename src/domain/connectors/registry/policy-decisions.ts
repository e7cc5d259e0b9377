import { ConnectorPolicy } from '@apprentice/contracts/admin/intents.ts'
import { Provider } from '@apprentice/contracts/connectors/values.ts'
import type { StoredDecision } from '../../../knowledge/connectors/connector-policy.ts'
import { findConfigDocument } from '../../../store/config/config-documents.ts'
import { listDecisions } from '../../../store/connectors/policies.ts'
import type { Reader } from '../../../store/db/db.ts'

/** The document of the configuration with the modes that intents set, by provider or server id. */
export const CONNECTOR_POLICY = '_connector_policy'

/** What administrators decided, and what intents restricted. The strictest applies, so an intent never loosens anything. */
export function listPolicyDecisions(reader: Reader): StoredDecision[] {
  const document = findConfigDocument(reader, CONNECTOR_POLICY)
  if (document === undefined) return listDecisions(reader)
  const { body, updated_at } = document
  const restricted = Object.entries(ConnectorPolicy.parse(body)).map(([name, { mode }]): StoredDecision => {
    const provider = Provider.safeParse(name)
    const decision = { mode, reason_code: 'config_intent', updated_by: 'system', updated_at } as const
    return provider.success
      ? { target: { target_kind: 'provider', provider: provider.data }, decision }
      : { target: { target_kind: 'server', server_id: name }, decision }
  })
  return [...listDecisions(reader), ...restricted]
}
