export function RooflineView() {
  return <main class="main" />;
}
