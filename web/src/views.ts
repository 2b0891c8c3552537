// Made from src/tools/common/sidebar.def: XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it anew.
export { OverviewView } from './overview';
export { TraceView } from './trace';
export { GraphView } from './graph';
export { OpsView } from './ops';
export { RooflineView } from './roofline';
export { InputView } from './input';
export { DoctorView } from './doctor';
