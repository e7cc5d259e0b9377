/** Names of configuration documents that belong to no capability start with an underscore. */
export const PREFERENCES_FOLDER = '_user_preferences/'
export const PACKS_FOLDER = '_support_packs/'
export { CONNECTOR_POLICY } from '../connectors/registry/policy-decisions.ts'
