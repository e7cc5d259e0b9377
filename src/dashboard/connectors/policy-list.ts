import {
  type ConnectorPolicies,
  type ConnectorPolicyTarget,
  listConnectorPolicies,
} from '@apprentice/contracts/connectors/policy.ts'
import type { PolicyMode } from '@apprentice/contracts/connectors/values.ts'
import { call } from '../api/client.ts'
import { CONNECTOR_POLL } from '../api/poll.ts'
import { type Resource, useResource } from '../api/resource.ts'

/** The decisions of the policy, and what follows for the tools of a server if one is named. */
export const usePolicies = (serverId?: string): Resource<ConnectorPolicies> =>
  useResource(
    `policies/${serverId ?? ''}`,
    () => call(listConnectorPolicies, { query: serverId === undefined ? {} : { server_id: serverId } }),
    CONNECTOR_POLL,
  )

/** What administrators decided for a target itself. */
export const findMode = (
  { decisions }: Pick<ConnectorPolicies, 'decisions'>,
  target: ConnectorPolicyTarget,
): PolicyMode | undefined => decisions.find((one) => toKey(one.target) === toKey(target))?.decision.mode

const toKey = (target: ConnectorPolicyTarget): string => Object.values(target).join(' ')
