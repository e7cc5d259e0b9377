import { connectorScenarios } from './scenarios-connectors.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(connectorScenarios)
