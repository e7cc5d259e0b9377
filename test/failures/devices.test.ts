import { deviceScenarios } from './scenarios-devices.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(deviceScenarios)
